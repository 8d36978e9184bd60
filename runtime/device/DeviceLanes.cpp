#include "runtime/device/DeviceLanes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace lmc::runtime {

namespace {

constexpr unsigned threadsOfBlock = 128;
constexpr int outputRole = static_cast<int>(Role::Output);

/// Numbers of a role behind a lane; behind Work there is room for a state.
std::size_t sizeOf(const Problem& problem, std::size_t role) {
  const auto own = static_cast<std::size_t>(problem.sizes[role]);
  return role == static_cast<std::size_t>(Role::Work)
             ? own + static_cast<std::size_t>(problem.sizes[static_cast<std::size_t>(Role::State)])
             : own;
}

/// Bytes of a lane in the memory of the device.
double laneBytes(const Problem& problem) {
  double numbers = 2 + 3 * static_cast<double>(problem.sizes[static_cast<std::size_t>(Role::State)]); // arguments, kept
  for (std::size_t r = 0; r < roleCount; ++r) numbers += static_cast<double>(sizeOf(problem, r));
  return 8 * numbers + 12; // status, done
}

} // namespace

DeviceShare shareOf(const Device& device, const Problem& problem, std::int64_t samples, std::int64_t block,
                    double rowBytes, int threads) {
  constexpr double threadsOfProcessor = 1024, used = 0.75, roomForRows = 5e8;
  constexpr int refills = 4;
  const double fits = used * static_cast<double>(device.freeMemory()) / threads / laneBytes(problem);
  const double wanted = threadsOfProcessor * device.multiprocessors();
  const double own = std::ceil(static_cast<double>(samples) / threads / static_cast<double>(block)) *
                     static_cast<double>(block); // of this thread
  double lanes = std::min({wanted, fits, own, std::floor(0.5 * std::numeric_limits<int>::max())});
  lanes = std::floor(lanes / 32) * 32; // threads that go together
  if (lanes < 32)
    throw DeviceError(fmt::format("the free memory of `{}` has no room for 32 samples of {:.3g} MB", device.name(),
                                  laneBytes(problem) / 1e6));
  DeviceShare share;
  share.lanes = static_cast<int>(lanes);
  const double atOnce = lanes * (problem.control ? refills : 1);
  const double rows = std::max(1.0, roomForRows / std::max(1.0, rowBytes));
  share.blocks = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(atOnce, rows)) / block);
  return share;
}

DeviceLanes::DeviceLanes(std::shared_ptr<const DeviceProgram> program, const Problem& problem, int lanes)
    : LaneMachine(lanes), program_(std::move(program)), problem_(problem), lanes_(static_cast<std::size_t>(lanes)),
      stateSize_(static_cast<std::size_t>(problem.sizes[index(Role::State)])), fresh_(lanes_),
      columns_(problem.columns()), staged_(2 * lanes_) {
  const Device& device = program_->device();
  device.use();
  try {
    device.check(device.driver().createStream(&stream_, cuda::nonBlocking), "cuStreamCreate");
    for (std::size_t r = 0; r < roles_.size(); ++r) {
      roles_[r] = make(sizeOf(problem, r) * row());
      known_[r].assign(static_cast<std::size_t>(problem.sizes[r]), false);
    }
    arguments_ = make(2 * row());
    statuses_ = make(lanes_ * sizeof(std::int32_t));
    done_ = make(lanes_ * sizeof(std::int64_t));
    for (Array& place : kept_) place = make(stateSize_ * row());
    loaded_ = make(stateSize_ * row());
  } catch (...) {
    free();
    throw;
  }
  params_.resize(static_cast<std::size_t>(problem.sizes[index(Role::Params)]) * lanes_);
  states_.resize(stateSize_ * lanes_);
  if (const Field* report = problem.field(FieldKind::Report)) evaluations_ = report->offset + 1;
}

DeviceLanes::~DeviceLanes() {
  free();
}

/// In the order in which it was had. What fails here is lost with the device.
void DeviceLanes::free() {
  const cuda::Driver& driver = program_->device().driver();
  try {
    program_->device().use();
  } catch (const DeviceError&) {
    return;
  }
  if (stream_ != nullptr) (void)driver.wait(stream_);
  const auto release = [&](Array& array) {
    if (array.address != 0) (void)driver.free(array.address);
    array = {};
  };
  for (Array& role : roles_) release(role);
  for (Array& place : kept_) release(place);
  for (Array* one : {&arguments_, &statuses_, &done_, &loaded_}) release(*one);
  if (stream_ != nullptr) (void)driver.destroyStream(stream_);
  stream_ = nullptr;
}

DeviceLanes::Array DeviceLanes::make(std::size_t bytes) {
  const Device& device = program_->device();
  Array array;
  array.bytes = std::max<std::size_t>(bytes, sizeof(double));
  cuda::Address address = 0;
  device.check(device.driver().allocate(&address, array.bytes), "cuMemAlloc");
  array.address = address;
  const cuda::Result cleared = device.driver().clear(address, 0, array.bytes, stream_);
  if (cleared != 0) (void)device.driver().free(address);
  device.check(cleared, "cuMemsetD8Async");
  return array;
}

// Memory of this process is not pinned: a copy has been made, or staged, when the call returns.
void DeviceLanes::upload(const Array& to, const void* from, std::size_t bytes, std::size_t at) {
  const Device& device = program_->device();
  if (bytes > 0) device.check(device.driver().upload(to.address + at, from, bytes, stream_), "cuMemcpyHtoDAsync");
}

void DeviceLanes::download(void* to, const Array& from, std::size_t bytes, std::size_t at) {
  const Device& device = program_->device();
  if (bytes > 0) device.check(device.driver().download(to, from.address + at, bytes, stream_), "cuMemcpyDtoHAsync");
  device.check(device.driver().wait(stream_), "cuStreamSynchronize");
}

void DeviceLanes::copyStates(const Array& to, const Array& from) {
  const Device& device = program_->device();
  if (stateSize_ > 0)
    device.check(device.driver().copy(to.address, from.address, stateSize_ * row(), stream_), "cuMemcpyDtoDAsync");
}

void DeviceLanes::launch(const std::string& kernel, std::vector<void*> parameters) {
  const Device& device = program_->device();
  const auto blocks = static_cast<unsigned>((lanes_ + threadsOfBlock - 1) / threadsOfBlock);
  device.check(device.driver().launch(program_->kernel(kernel), blocks, 1, 1, threadsOfBlock, 1, 1, 0, stream_,
                                      parameters.data(), nullptr),
               "cuLaunchKernel");
}

void DeviceLanes::pushStatuses(const std::vector<std::int32_t>& from) {
  upload(statuses_, from.data(), from.size() * sizeof from[0]);
}

void DeviceLanes::pullStatuses(std::vector<std::int32_t>& to) {
  download(to.data(), statuses_, to.size() * sizeof to[0]);
}

void DeviceLanes::forget() {
  for (std::vector<bool>& known : known_) std::fill(known.begin(), known.end(), false);
  finite_.clear();
}

// --- loading ----------------------------------------------------------------------------------------------------

void DeviceLanes::load(int lane, std::span<const double> params, std::span<const double> state) {
  const auto l = static_cast<std::size_t>(lane);
  std::size_t k = 0;
  for (; k < params.size(); ++k) params_[k * lanes_ + l] = params[k];
  if (problem_.control)
    for (const double tolerance : problem_.control->tolerances) params_[k++ * lanes_ + l] = tolerance;
  for (k = 0; k < stateSize_; ++k) states_[k * lanes_ + l] = k < state.size() ? state[k] : 0;
  fresh_[l] = true;
  anyFresh_ = true;
}

void DeviceLanes::push() {
  if (!anyFresh_) return;
  upload(roles_[index(Role::Params)], params_.data(), params_.size() * sizeof(double));
  if (std::all_of(fresh_.begin(), fresh_.end(), [](bool f) { return f; })) {
    upload(roles_[index(Role::State)], states_.data(), states_.size() * sizeof(double));
  } else {
    upload(loaded_, states_.data(), states_.size() * sizeof(double));
    std::vector<std::int32_t> others(lanes_);
    for (std::size_t l = 0; l < lanes_; ++l) others[l] = fresh_[l] ? Ok : static_cast<std::int32_t>(NonFinite);
    pushStatuses(others);
    auto lanes = static_cast<std::int64_t>(lanes_);
    launch("lmc_restore", {&roles_[index(Role::State)].address, &loaded_.address, &lanes, &statuses_.address});
  }
  if (evaluations_ >= 0) { // the count begins anew
    const double* const before = numbers(Role::Output, evaluations_, 1);
    std::vector<double> counts(before, before + lanes_);
    for (std::size_t l = 0; l < lanes_; ++l)
      if (fresh_[l]) counts[l] = 0;
    upload(roles_[outputRole], counts.data(), row(), static_cast<std::size_t>(evaluations_) * row());
  }
  std::fill(fresh_.begin(), fresh_.end(), false);
  anyFresh_ = false;
  forget();
}

// --- calls ------------------------------------------------------------------------------------------------------

void DeviceLanes::callFunction(int function) {
  push();
  upload(arguments_, staged_.data(), 2 * row());
  pushStatuses(status);
  auto lanes = static_cast<std::int64_t>(lanes_);
  std::vector<void*> parameters;
  for (Array& role : roles_) parameters.push_back(&role.address);
  parameters.insert(parameters.end(), {&lanes, &arguments_.address, &statuses_.address});
  launch("lmc_f" + std::to_string(function), std::move(parameters));
  pullStatuses(status);
  forget();
}

void DeviceLanes::setup() {
  if (problem_.functions.setup >= 0) callFunction(problem_.functions.setup);
}

void DeviceLanes::evaluate(int function, std::span<const double> times) {
  if (function < 0) return;
  std::copy(times.begin(), times.end(), staged_.begin());
  callFunction(function);
}

void DeviceLanes::call(int function, std::span<const double> t, std::span<const double> h) {
  std::copy(t.begin(), t.end(), staged_.begin());
  std::copy(h.begin(), h.end(), staged_.begin() + static_cast<std::ptrdiff_t>(lanes_));
  callFunction(function);
}

void DeviceLanes::advance(double t0, double h, std::int64_t first, std::int64_t n) {
  push();
  pushStatuses(status);
  upload(done_, done.data(), done.size() * sizeof done[0]);
  auto lanes = static_cast<std::int64_t>(lanes_);
  std::vector<void*> parameters;
  for (Array& role : roles_) parameters.push_back(&role.address);
  parameters.insert(parameters.end(), {&lanes, &t0, &h, &first, &n, &statuses_.address, &done_.address});
  launch("lmc_advance", std::move(parameters));
  download(done.data(), done_, done.size() * sizeof done[0]);
  pullStatuses(status);
  forget();
}

// --- reading ----------------------------------------------------------------------------------------------------

const double* DeviceLanes::numbers(Role role, std::int64_t offset, std::int64_t count) {
  const std::size_t r = index(role);
  const auto first = static_cast<std::size_t>(offset), last = first + static_cast<std::size_t>(count);
  std::vector<bool>& known = known_[r];
  read_[r].resize(known.size() * lanes_); // of roles that are never read there is no copy
  std::size_t low = first, high = last;
  while (low < high && known[low]) ++low;
  while (high > low && known[high - 1]) --high;
  if (low < high) {
    download(read_[r].data() + low * lanes_, roles_[r], (high - low) * row(), low * row());
    std::fill(known.begin() + static_cast<std::ptrdiff_t>(low), known.begin() + static_cast<std::ptrdiff_t>(high),
              true);
  }
  return read_[r].data() + first * lanes_;
}

void DeviceLanes::columns(int lane, std::span<double> out) {
  for (std::size_t c = 0; c < out.size(); ++c) {
    const double x = numbers(columns_[c].role, columns_[c].offset, 1)[lane];
    out[c] = std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
  }
}

bool DeviceLanes::finite(int lane) {
  const auto l = static_cast<std::size_t>(lane);
  if (fresh_[l]) {
    for (std::size_t k = 0; k < stateSize_; ++k)
      if (!std::isfinite(states_[k * lanes_ + l])) return false;
    return true;
  }
  if (finite_.empty()) {
    finite_.assign(lanes_, Ok);
    pushStatuses(finite_);
    auto lanes = static_cast<std::int64_t>(lanes_);
    launch("lmc_finite", {&roles_[index(Role::State)].address, &lanes, &statuses_.address});
    pullStatuses(finite_);
  }
  return finite_[l] == Ok;
}

// --- states that are kept ---------------------------------------------------------------------------------------

void DeviceLanes::keep(Kept place) {
  push();
  copyStates(kept_[static_cast<std::size_t>(place)], roles_[index(Role::State)]);
}

void DeviceLanes::restore(Kept place) {
  copyStates(roles_[index(Role::State)], kept_[static_cast<std::size_t>(place)]);
  forget();
}

void DeviceLanes::restore(Kept place, const std::vector<bool>& wanted) {
  std::vector<std::int32_t> others(lanes_);
  for (std::size_t l = 0; l < lanes_; ++l) others[l] = wanted[l] ? Ok : static_cast<std::int32_t>(NonFinite);
  pushStatuses(others);
  auto lanes = static_cast<std::int64_t>(lanes_);
  launch("lmc_restore", {&roles_[index(Role::State)].address, &kept_[static_cast<std::size_t>(place)].address, &lanes,
                         &statuses_.address});
  forget();
}

} // namespace lmc::runtime
