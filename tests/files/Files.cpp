#include "Files.h"

#include "acceptance/Archive.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sstream>
#include <sys/wait.h>

namespace lmc::files {

using acceptance::readFile;

const std::string topModel = R"(model Top {
  param J : mat(3,3) = diag(1, 2, 3);
  param chi : vec(3) = [0, 1, 0];
  param m = 2;
  config R : SO(3) velocity w;
  lagrangian = 0.5*dot(w, J*w) - m*dot([0, 0, 9.81], R*chi);
  initial w = [0.3, 2, 0.5];
  observe tip = R*chi;
  simulate { method = RKMK4; time = 0..8; step = 1e-4; }
}
)";

std::string tool() {
  return LMC_BINARY_DIR "/bin/lmc";
}

namespace {

Rows fromText(const std::string& text) {
  Rows rows;
  std::size_t at = text.find('\n');
  for (std::size_t end = 0; at != std::string::npos; at = end) {
    end = text.find('\n', at + 1);
    if (end == std::string::npos) break;
    std::vector<double>& row = rows.emplace_back();
    for (const char* c = text.c_str() + at + 1; c < text.c_str() + end; ++c) {
      char* stop = nullptr;
      row.push_back(std::strtod(c, &stop));
      if (stop == c || (*stop != ',' && *stop != '\n')) ADD_FAILURE() << "a cell is no number";
      c = stop;
    }
    if (row.size() != rows.front().size()) ADD_FAILURE() << "line " << rows.size() << " has another length";
  }
  return rows;
}

/// Arrays with the samples along the first axis, side by side; the time is the first of them.
class Columns {
public:
  void add(const std::string& name, std::size_t samples, const std::vector<double>& values) {
    if (rows.empty()) rows.resize(samples);
    if (rows.size() != samples) ADD_FAILURE() << name << " has " << samples << " samples, others " << rows.size();
    const std::size_t width = samples == 0 ? 0 : values.size() / samples;
    for (std::size_t k = 0; k < std::min(samples, rows.size()); ++k)
      rows[k].insert(name == "t" ? rows[k].begin() : rows[k].end(), values.begin() + static_cast<long>(k * width),
                     values.begin() + static_cast<long>((k + 1) * width));
  }
  Rows rows;
};

Rows fromArchive(const std::string& bytes) {
  Columns columns;
  for (const auto& [name, array] : acceptance::readNpz(bytes)) columns.add(name, array.shape.at(0), array.values);
  return columns.rows;
}

herr_t addDataset(hid_t file, const char* name, const H5O_info_t* info, void* out) {
  if (info->type != H5O_TYPE_DATASET || std::string(name).find('/') != std::string::npos) return 0;
  const hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(d);
  hsize_t extent[8] = {};
  H5Sget_simple_extent_dims(space, extent, nullptr);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  const bool good =
      d >= 0 && space >= 0 && H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
  if (!good) ADD_FAILURE() << name << " cannot be read";
  static_cast<Columns*>(out)->add(name, extent[0], values);
  H5Sclose(space);
  H5Dclose(d);
  return 0;
}

std::optional<Rows> fromHdf5(const std::filesystem::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    ADD_FAILURE() << path << " cannot be opened";
    return std::nullopt;
  }
  Columns columns;
  if (H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, addDataset, &columns) < 0) ADD_FAILURE() << path;
  H5Fclose(file);
  return columns.rows;
}

} // namespace

std::optional<Rows> rowsOf(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  if (file.extension() == ".h5") return fromHdf5(file);
  const std::string bytes = readFile(file);
  return file.extension() == ".npz" ? fromArchive(bytes) : fromText(bytes);
}

Said shell(const acceptance::Workspace& w, const std::string& line) {
  const std::string script = "cd '" + w.path("").string() + "' || exit 99\nexport LMC=" + tool() +
                             "\nexport LMC_CACHE_DIR=\"$PWD/cache\"\n" + line + "\n";
  w.write("script.sh", script);
  const std::string file = w.path("script.sh").string();
  const int status = std::system(("bash '" + file + "' >'" + file + ".out' 2>'" + file + ".err' </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, readFile(file + ".out"), readFile(file + ".err")};
}

} // namespace lmc::files
