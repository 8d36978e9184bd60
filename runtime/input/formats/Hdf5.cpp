// HDF5 files: a dataset of numbers per variable or observable in the root, the samples along the first axis. Attributes
// `source_files` and `source_texts` of the root tell what the run was made from.
#include "runtime/input/Input.h"

namespace lmc::runtime {

extern const InputFormat hdf5InputFormat = {
    .name = "hdf5",
    .place = 2,
    .endings = {".h5", ".hdf5"},
};

} // namespace lmc::runtime

#ifdef LMC_INPUT_MODULE

#include <algorithm>
#include <hdf5.h>

namespace lmc::runtime {

namespace {

/// A handle of the library, closed at the end of its life.
class Handle {
public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool good() const { return id_ >= 0; }

private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Where a dataset of the root stands in the file, which is the order in which they were made.
struct Place {
  std::string name;
  haddr_t address;
};

std::vector<Place> datasets(hid_t file) {
  std::vector<Place> all;
  H5Literate(
      file, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t group, const char* name, const H5L_info_t*, void* out) -> herr_t {
        H5O_info_t about;
        if (H5Oget_info_by_name(group, name, &about, H5P_DEFAULT) >= 0 && about.type == H5O_TYPE_DATASET)
          static_cast<std::vector<Place>*>(out)->push_back({name, about.addr});
        return 0;
      },
      &all);
  std::stable_sort(all.begin(), all.end(), [](const Place& a, const Place& b) { return a.address < b.address; });
  return all;
}

/// The texts of an attribute of the root, of variable length; none where there is no such attribute.
std::vector<std::string> texts(hid_t file, const char* name) {
  std::vector<std::string> list;
  if (H5Aexists(file, name) <= 0) return list;
  const Handle attribute(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  const Handle stored(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (H5Tis_variable_str(stored.id()) <= 0 || count <= 0) return list;
  std::vector<char*> read(static_cast<std::size_t>(count), nullptr);
  if (H5Aread(attribute.id(), stored.id(), read.data()) < 0) return list;
  for (char* const text : read) {
    list.emplace_back(text == nullptr ? "" : text);
    H5free_memory(text);
  }
  return list;
}

void readDataset(hid_t file, const std::string& name, hsize_t& rows, InputTable& table) {
  const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(dataset.id()), H5Tclose), space(H5Dget_space(dataset.id()), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  const int axes = H5Sget_simple_extent_ndims(space.id());
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || axes < 1) return;
  std::vector<hsize_t> extent(static_cast<std::size_t>(axes));
  H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  if (table.columns.empty()) rows = extent[0];
  if (extent[0] != rows) return;
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id())));
  if (!values.empty() && H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw InputError("the dataset `" + name + "` cannot be read");
  addArray(table, name, {extent.begin() + 1, extent.end()}, values);
}

void readHdf5(const char* name, InputTable& table) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); // errors are thrown, not printed
  const Handle file(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.good()) throw InputError(std::string("`") + name + "` is no HDF5 file, or cannot be read");
  hsize_t rows = 0;
  const std::vector<Place> places = datasets(file.id());
  // The time says how many samples there are.
  for (const Place& p : places)
    if (p.name == "t") readDataset(file.id(), p.name, rows, table);
  for (const Place& p : places)
    if (p.name != "t") readDataset(file.id(), p.name, rows, table);
  if (table.columns.empty()) throw InputError(std::string("`") + name + "` holds no dataset of numbers in its root");
  const std::vector<std::string> files = texts(file.id(), "source_files"), sources = texts(file.id(), "source_texts");
  for (std::size_t k = 0; k < std::min(files.size(), sources.size()); ++k)
    table.sources.emplace_back(files[k], sources[k]);
}

} // namespace

} // namespace lmc::runtime

extern "C" void lmc_read_input(const char* file, lmc::runtime::InputTable* table) {
  lmc::runtime::readHdf5(file, *table);
}

#endif
