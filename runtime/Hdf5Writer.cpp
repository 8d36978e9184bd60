// The writer of HDF5 files; a module of its own, opened by openHdf5 (Output.cpp).
//
// `t` and one dataset per variable or observable, chunked along the samples, so that samples are appended as the run
// goes on. What the run was made from stands in attributes of the root, the parameters in those of the group
// `parameters`.
#include "runtime/Output.h"
#include "runtime/OutputArrays.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <hdf5.h>
#include <utility>

namespace lmc {

namespace {

using Clock = std::chrono::steady_clock;

/// A handle of the library, closed at the end of its life.
class Handle {
public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& o) noexcept : id_(std::exchange(o.id_, H5I_INVALID_HID)), close_(o.close_) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(id_, o.id_);
    std::swap(close_, o.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }
  /// False when closing fails: data that was kept back could not be written.
  bool reset() {
    const bool good = id_ < 0 || close_(id_) >= 0;
    id_ = H5I_INVALID_HID;
    return good;
  }
  [[nodiscard]] hid_t id() const { return id_; }

private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// One dataset, with the samples that are not in the file yet.
struct Dataset {
  OutputArray array;
  Handle handle;
  std::vector<hsize_t> extent; ///< samples, then the shape of one
  std::vector<double> rows;
};

/// Samples are written when this many bytes of a dataset are there: one chunk of the file.
constexpr std::size_t chunkBytes = 1U << 16U;
/// Attributes of this many numbers or more are datasets: the format bounds attributes by 64 KiB.
constexpr std::size_t attributeLimit = 4096;
/// What was written is complete on disk at least this often.
constexpr std::chrono::milliseconds flushInterval{500};

class Hdf5Writer final : public Sink {
public:
  Hdf5Writer(std::string file, const RunDescription* about) : name_(std::move(file)) {
    std::FILE* probe = std::fopen(name_.c_str(), "wb"); // for the reason, should it not be possible
    if (probe == nullptr) throw OutputError("cannot write '" + name_ + "': " + std::strerror(errno));
    std::fclose(probe);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); // errors are thrown, not printed
    file_ = {need(H5Fcreate(name_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)), H5Fclose};
    if (about == nullptr) return;
    parameters_ = about->parameters;
    describe(*about);
  }

  void begin(const std::vector<std::string>& columns) override {
    add({"t", {}, {}});
    for (OutputArray& array : arraysOf(columns)) add(std::move(array));
    addParameters();
    flush();
  }

  void sample(double t, std::span<const double> values) override {
    datasets_.front().rows.push_back(t);
    for (std::size_t k = 1; k < datasets_.size(); ++k)
      for (const std::size_t column : datasets_[k].array.columns) datasets_[k].rows.push_back(values[column]);
    for (Dataset& d : datasets_)
      if (d.rows.size() * sizeof(double) >= chunkBytes) append(d);
    if (Clock::now() - flushed_ > flushInterval) flush();
  }

  void finish() override {
    flush();
    for (Dataset& d : datasets_) check(d.handle.reset());
    check(file_.reset());
  }

private:
  void check(bool good) const {
    if (!good) throw OutputError("cannot write '" + name_ + "': " + reason());
  }
  [[nodiscard]] hid_t need(hid_t id) const {
    check(id >= 0);
    return id;
  }

  /// The innermost message of the library's error stack.
  static std::string reason() {
    std::string text;
    H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_DOWNWARD,
        [](unsigned, const H5E_error2_t* e, void* out) -> herr_t {
          if (e->desc != nullptr) *static_cast<std::string*>(out) = e->desc;
          return 0;
        },
        &text);
    return text.empty() ? "the HDF5 library gives no reason" : text;
  }

  void add(OutputArray array) {
    Dataset d;
    d.extent = {0};
    std::size_t size = 1;
    for (const std::int64_t n : array.shape) {
      d.extent.push_back(static_cast<hsize_t>(n));
      size *= static_cast<std::size_t>(n);
    }
    std::vector<hsize_t> most = d.extent, chunk = d.extent;
    most.front() = H5S_UNLIMITED;
    chunk.front() = std::max<std::size_t>(1, chunkBytes / sizeof(double) / size);
    const int rank = static_cast<int>(d.extent.size());
    const Handle space(need(H5Screate_simple(rank, d.extent.data(), most.data())), H5Sclose);
    const Handle creation(need(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
    check(H5Pset_chunk(creation.id(), rank, chunk.data()) >= 0);
    d.handle = {need(H5Dcreate2(file_.id(), freeName(array.name).c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT,
                                creation.id(), H5P_DEFAULT)),
                H5Dclose};
    d.array = std::move(array);
    datasets_.push_back(std::move(d));
  }

  void append(Dataset& d) {
    if (d.rows.empty()) return;
    std::size_t size = 1;
    for (std::size_t k = 1; k < d.extent.size(); ++k) size *= d.extent[k];
    std::vector<hsize_t> start(d.extent.size(), 0), count = d.extent;
    start.front() = d.extent.front();
    count.front() = d.rows.size() / size;
    d.extent.front() += count.front();
    check(H5Dset_extent(d.handle.id(), d.extent.data()) >= 0);
    const Handle file(need(H5Dget_space(d.handle.id())), H5Sclose);
    check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0);
    const Handle memory(need(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr)), H5Sclose);
    check(H5Dwrite(d.handle.id(), H5T_NATIVE_DOUBLE, memory.id(), file.id(), H5P_DEFAULT, d.rows.data()) >= 0);
    d.rows.clear();
  }

  void flush() {
    for (Dataset& d : datasets_) append(d);
    check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0);
    flushed_ = Clock::now();
  }

  // --- what the run was made from

  void describe(const RunDescription& about) {
    const hid_t root = file_.id();
    strings(root, "model", {about.model}, true);
    strings(root, "method", {about.method}, true);
    strings(root, "lmc_version", {about.version}, true);
    std::vector<std::string> names, texts;
    for (const auto& [name, text] : about.sources) {
      names.push_back(name);
      texts.push_back(text);
    }
    if (!names.empty()) {
      strings(root, "source_files", names, false);
      strings(root, "source_texts", texts, false);
    }
    for (const auto& [name, value] : {std::pair{"time_from", about.timeFrom},
                                      {"time_to", about.timeTo},
                                      {"step", about.step},
                                      {"tolerance", about.tolerance}}) {
      if (!std::isnan(value)) numbers(root, {name, {}, {value}});
    }
    const Handle space(need(H5Screate(H5S_SCALAR)), H5Sclose);
    const Handle seed(need(H5Acreate2(root, "seed", H5T_STD_U64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
    check(H5Awrite(seed.id(), H5T_NATIVE_UINT64, &about.seed) >= 0);
  }

  void addParameters() const {
    const Handle group(
        need(H5Gcreate2(file_.id(), freeName("parameters").c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), H5Gclose);
    for (const NamedArray& p : parameters_) numbers(group.id(), p);
  }

  /// The name, with underscores behind it if a variable of the model has it.
  [[nodiscard]] std::string freeName(std::string name) const {
    while (H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) > 0) name += '_';
    return name;
  }

  /// An attribute of UTF-8 texts: one, or a list.
  void strings(hid_t owner, const char* name, const std::vector<std::string>& list, bool single) const {
    const Handle type(need(H5Tcopy(H5T_C_S1)), H5Tclose);
    check(H5Tset_size(type.id(), H5T_VARIABLE) >= 0 && H5Tset_cset(type.id(), H5T_CSET_UTF8) >= 0);
    const hsize_t count = list.size();
    const Handle space(need(single ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr)), H5Sclose);
    const Handle attribute(need(H5Acreate2(owner, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
    std::vector<const char*> texts;
    for (const std::string& text : list) texts.push_back(text.c_str());
    check(H5Awrite(attribute.id(), type.id(), texts.data()) >= 0);
  }

  /// An attribute of numbers; a dataset if there are many.
  void numbers(hid_t owner, const NamedArray& array) const {
    std::vector<hsize_t> shape(array.shape.begin(), array.shape.end());
    const Handle space(need(shape.empty() ? H5Screate(H5S_SCALAR)
                                          : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)),
                       H5Sclose);
    const char* name = array.name.c_str();
    if (array.values.size() < attributeLimit) {
      const Handle a(need(H5Acreate2(owner, name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
      check(H5Awrite(a.id(), H5T_NATIVE_DOUBLE, array.values.data()) >= 0);
      return;
    }
    const Handle d(need(H5Dcreate2(owner, name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                   H5Dclose);
    check(H5Dwrite(d.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) >= 0);
  }

  std::string name_;
  Handle file_; // closed after the datasets
  std::vector<Dataset> datasets_;
  std::vector<NamedArray> parameters_;
  Clock::time_point flushed_ = Clock::now();
};

} // namespace

} // namespace lmc

/// The module's one entry point: an open writer, owned by the caller. Throws lmc::OutputError.
extern "C" lmc::Sink* lmc_open_hdf5(const char* file, const lmc::RunDescription* about) {
  return new lmc::Hdf5Writer(file, about);
}
