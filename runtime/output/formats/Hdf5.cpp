// HDF5 files.
//
// `t` and one dataset per variable or observable, chunked along the samples, so that samples are appended as the run
// goes on. Attributes of the root tell what the run was made from: `model`, `method`, `lmc_version`, `source_files` and
// `source_texts`, `time_from`, `time_to`, `step`, `tolerance`, `seed`; those of the group `parameters` are the
// parameters.
//
// The library writes beside the place of the file, under its name with `.part` behind it: a process that ends at any
// moment would leave a file that cannot be read, or reads zeros where the last samples were. What stands in the place
// is a copy, made while nothing is under way: every half second, of large files less often, so that a twentieth of the
// run goes into it at most.
#include "runtime/output/Output.h"

namespace lmc::runtime {

extern const OutputFormat hdf5OutputFormat = {
    .name = "hdf5",
    .place = 2,
    .endings = {".h5"},
    .numberBytes = 8,
    .beside = {".part", ".copy"},
};

} // namespace lmc::runtime

#ifdef LMC_OUTPUT_MODULE

#include "runtime/output/OutputArrays.h"
#include "runtime/output/OutputFile.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

namespace lmc::runtime {

namespace {

namespace fs = std::filesystem;

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
/// Samples that are read back at once.
constexpr hsize_t blockRows = 1024;

/// The number of the system's error in the library's error stack, 0 if there is none.
int systemError() {
  int number = 0;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* e, void* out) -> herr_t {
        const char* const at = e->desc == nullptr ? nullptr : std::strstr(e->desc, "errno = ");
        if (at != nullptr) *static_cast<int*>(out) = std::atoi(at + std::strlen("errno = "));
        return 0;
      },
      &number);
  return number;
}

/// Errors of the library are thrown, not printed. It asks each thread for itself, and blocks of an ensemble are written
/// by whatever thread has finished one.
void printNoErrors() {
  thread_local const herr_t once = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  (void)once;
}

/// A file of the library. Equal calls of `begin` and `sample` make equal bytes unless `flush` comes between them.
class Hdf5File {
public:
  /// `path` is made anew; `name` is for messages.
  Hdf5File(const fs::path& path, std::string name, const RunDescription* about) : name_(std::move(name)) {
    printNoErrors();
    file_ = {need(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)), H5Fclose};
    if (about == nullptr) return;
    parameters_ = about->parameters;
    describe(*about);
  }

  void begin(const std::vector<Entry>& columns) {
    add({"t", {}, {}});
    for (OutputArray& array : arraysOf(columns)) add(std::move(array));
    addParameters();
  }

  void sample(double t, std::span<const double> values) {
    const std::size_t before = datasets_.front().rows.size();
    try {
      datasets_.front().rows.push_back(t);
      for (std::size_t k = 1; k < datasets_.size(); ++k)
        for (const std::size_t column : datasets_[k].array.columns) datasets_[k].rows.push_back(values[column]);
    } catch (const std::bad_alloc&) {
      forget(before);
      throw;
    }
    ++samples_;
    for (Dataset& d : datasets_)
      if (d.rows.size() * sizeof(double) >= chunkBytes) append(d);
  }

  [[nodiscard]] hsize_t samples() const { return samples_; }

  /// Everything is in the file, as the system sees it.
  void flush() {
    for (Dataset& d : datasets_) append(d);
    check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0);
  }

  void close() {
    for (Dataset& d : datasets_) append(d);
    for (Dataset& d : datasets_) check(d.handle.reset());
    check(file_.reset());
  }

  /// Passes all samples, which must be in the file (`flush`), to another one.
  void replay(Hdf5File& to) const {
    std::vector<std::vector<double>> blocks(datasets_.size());
    std::size_t columns = 0;
    for (const Dataset& d : datasets_) columns += d.array.columns.size();
    std::vector<double> row(columns);
    for (hsize_t first = 0; first < samples_; first += blockRows) {
      const hsize_t count = std::min(blockRows, samples_ - first);
      for (std::size_t k = 0; k < datasets_.size(); ++k) read(datasets_[k], first, count, blocks[k]);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 1; k < datasets_.size(); ++k) {
          const std::vector<std::size_t>& places = datasets_[k].array.columns;
          for (std::size_t j = 0; j < places.size(); ++j) row[places[j]] = blocks[k][i * places.size() + j];
        }
        to.sample(blocks[0][i], row);
      }
    }
  }

private:
  void check(bool good) const {
    if (good) return;
    if (const int error = systemError(); error != 0) throw cannotWrite(name_, error);
    throw OutputError("cannot write `" + name_ +
                      "`: the library of HDF5 files tells no reason; is there enough memory?");
  }
  [[nodiscard]] hid_t need(hid_t id) const {
    check(id >= 0);
    return id;
  }

  /// Takes back a sample of which a part only could be kept.
  void forget(std::size_t timesBefore) {
    Dataset& time = datasets_.front();
    const std::size_t more = time.rows.size() - timesBefore;
    if (more == 0) return;
    for (Dataset& d : datasets_) { // of others, rows that are not written yet may be fewer
      const std::size_t width = sizeOf(d);
      const std::size_t whole = static_cast<std::size_t>(samples_ - d.extent.front()) * width;
      d.rows.resize(std::min(d.rows.size(), whole));
    }
  }

  static std::size_t sizeOf(const Dataset& d) {
    std::size_t size = 1;
    for (std::size_t k = 1; k < d.extent.size(); ++k) size *= d.extent[k];
    return size;
  }

  void read(const Dataset& d, hsize_t first, hsize_t count, std::vector<double>& to) const {
    std::vector<hsize_t> start(d.extent.size(), 0), shape = d.extent;
    start.front() = first;
    shape.front() = count;
    to.resize(static_cast<std::size_t>(count) * sizeOf(d));
    const Handle file(need(H5Dget_space(d.handle.id())), H5Sclose);
    check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start.data(), nullptr, shape.data(), nullptr) >= 0);
    const Handle memory(need(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)), H5Sclose);
    check(H5Dread(d.handle.id(), H5T_NATIVE_DOUBLE, memory.id(), file.id(), H5P_DEFAULT, to.data()) >= 0);
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
    check(H5Pset_obj_track_times(creation.id(), false) >= 0); // equal runs make equal bytes
    d.handle = {need(H5Dcreate2(file_.id(), freeName(array.name).c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT,
                                creation.id(), H5P_DEFAULT)),
                H5Dclose};
    d.array = std::move(array);
    datasets_.push_back(std::move(d));
  }

  void append(Dataset& d) {
    if (d.rows.empty()) return;
    std::vector<hsize_t> start(d.extent.size(), 0), count = d.extent;
    start.front() = d.extent.front();
    count.front() = d.rows.size() / sizeOf(d);
    d.extent.front() += count.front();
    check(H5Dset_extent(d.handle.id(), d.extent.data()) >= 0);
    const Handle file(need(H5Dget_space(d.handle.id())), H5Sclose);
    check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0);
    const Handle memory(need(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr)), H5Sclose);
    check(H5Dwrite(d.handle.id(), H5T_NATIVE_DOUBLE, memory.id(), file.id(), H5P_DEFAULT, d.rows.data()) >= 0);
    d.rows.clear();
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
    const Handle creation(need(H5Pcreate(H5P_GROUP_CREATE)), H5Pclose);
    check(H5Pset_obj_track_times(creation.id(), false) >= 0);
    const Handle group(
        need(H5Gcreate2(file_.id(), freeName("parameters").c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT)),
        H5Gclose);
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
    texts.reserve(list.size());
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
    const Handle creation(need(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
    check(H5Pset_obj_track_times(creation.id(), false) >= 0);
    const Handle d(need(H5Dcreate2(owner, name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT)),
                   H5Dclose);
    check(H5Dwrite(d.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) >= 0);
  }

  std::string name_;
  Handle file_; // closed after the datasets
  std::vector<Dataset> datasets_;
  std::vector<NamedArray> parameters_;
  hsize_t samples_ = 0;
};

/// A descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int id) : id_(id) {}
  ~Descriptor() {
    if (id_ >= 0) ::close(id_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int id() const { return id_; }

private:
  int id_;
};

class Hdf5Writer final : public Sink {
public:
  Hdf5Writer(std::string file, const RunDescription* about) : name_(std::move(file)) {
    if (about != nullptr) about_ = *about;
    once_ = WholeFile(name_).inPlace(); // and finds out whether it can be written
    target_ = followed(name_);
    if (once_) { // a device or a pipe: the library needs a file that it can read, too
      std::string pattern = (fs::temp_directory_path() / "lmc-XXXXXX").string();
      const Descriptor made(::mkstemp(pattern.data()));
      if (made.id() < 0) throw cannotWrite(pattern, errno);
      part_ = pattern;
    } else {
      part_ = target_;
      part_ += ".part";
    }
    try {
      file_ = std::make_unique<Hdf5File>(part_, name_, description());
    } catch (...) {
      ::unlink(part_.c_str());
      throw;
    }
  }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer() override {
    printNoErrors();
    file_.reset();
    if (!part_.empty()) ::unlink(part_.c_str());
  }

  void begin(const std::vector<Entry>& columns) override {
    columns_ = columns;
    file_->begin(columns);
    if (once_) return;
    publish(false); // which changes where things are in a file
    file_.reset();
    file_ = std::make_unique<Hdf5File>(part_, name_, description());
    file_->begin(columns);
  }

  void sample(double t, std::span<const double> values) override {
    printNoErrors();
    file_->sample(t, values);
    if (!once_ && publishing_.due()) {
      publish(false);
      changed_ = true;
    }
  }

  void sync() override {
    printNoErrors();
    if (once_) return;
    publish(true);
    changed_ = true;
  }

  void finish() override {
    printNoErrors();
    if (changed_) tidy();
    if (file_) file_->close();
    file_.reset();
    if (once_) {
      WholeFile to(name_);
      copy(to.out());
      to.commit(false);
      ::unlink(part_.c_str());
    } else if (::rename(part_.c_str(), target_.c_str()) != 0) {
      throw cannotWrite(name_, errno);
    }
    part_.clear();
  }

private:
  [[nodiscard]] const RunDescription* description() const { return about_ ? &*about_ : nullptr; }

  /// Everything up to now, in the place of the file.
  void publish(bool durable) {
    publishing_.begin();
    file_->flush();
    WholeFile to(name_, copySuffix);
    copy(to.out());
    to.commit(durable);
    publishing_.end();
  }

  void copy(OutputFile& to) const {
    const Descriptor from(::open(part_.c_str(), O_RDONLY | O_CLOEXEC));
    if (from.id() < 0) throw cannotWrite(name_, errno);
    std::vector<char> buffer(std::size_t{1} << 18U);
    for (;;) {
      const ssize_t n = ::read(from.id(), buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw cannotWrite(name_, errno);
      if (n == 0) return;
      to.write(buffer.data(), static_cast<std::size_t>(n));
    }
  }

  /// The file as it would be if nothing had been brought to the disk on the way: equal runs make equal bytes. Where
  /// there is no room for a second file the first one stays; it holds the same numbers.
  void tidy() {
    fs::path again = target_;
    again += copySuffix;
    try {
      file_->flush();
      Hdf5File fresh(again, name_, description());
      fresh.begin(columns_);
      file_->replay(fresh);
      fresh.close();
    } catch (const OutputError&) {
      ::unlink(again.c_str());
      return;
    }
    file_.reset();
    if (::rename(again.c_str(), part_.c_str()) != 0) throw cannotWrite(name_, errno);
  }

  static constexpr const char* copySuffix = ".copy";
  std::string name_;
  std::optional<RunDescription> about_;
  fs::path target_, part_; ///< the place, and where the library writes
  bool once_ = false;      ///< into a device or a pipe
  std::unique_ptr<Hdf5File> file_;
  std::vector<Entry> columns_;
  bool changed_ = false; ///< the file was flushed on the way
  Leisure publishing_{0.5};
};

} // namespace

} // namespace lmc::runtime

extern "C" lmc::runtime::Sink* lmc_open_output(const char* file, const lmc::runtime::RunDescription* about) {
  return new lmc::runtime::Hdf5Writer(file, about);
}

#endif
