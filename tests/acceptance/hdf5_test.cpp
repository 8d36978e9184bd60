// HDF5 output: the same numbers as in the npz archive, and attributes that tell what the run was made from.
#include "acceptance/Archive.h"
#include "acceptance/Tool.h"
#include "acceptance/Trajectory.h"
#include "runtime/output/Output.h"

#include <csignal>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lmc::acceptance;
using Shape = std::vector<std::size_t>;

namespace {

/// Reads by the C interface of the library; every call must succeed.
class File {
public:
  explicit File(const std::filesystem::path& file) : id_(good(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT))) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { H5Fclose(id_); }

  [[nodiscard]] std::vector<std::string> datasets() const {
    std::vector<std::string> names;
    const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* out) -> herr_t {
      if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(out)->emplace_back(name);
      return 0;
    };
    good(H5Ovisit(id_, H5_INDEX_NAME, H5_ITER_INC, visit, &names));
    return names;
  }
  [[nodiscard]] Array dataset(const std::string& name) const {
    const hid_t d = good(H5Dopen2(id_, name.c_str(), H5P_DEFAULT));
    const hid_t space = good(H5Dget_space(d));
    Array a = sized(space);
    good(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.values.data()));
    const hid_t creation = good(H5Dget_create_plist(d));
    EXPECT_TRUE(name.find('/') != std::string::npos || H5Pget_layout(creation) == H5D_CHUNKED) << name;
    H5Pclose(creation);
    H5Sclose(space);
    H5Dclose(d);
    return a;
  }
  [[nodiscard]] Array numbers(const std::string& group, const std::string& name) const {
    const hid_t attribute = good(H5Aopen_by_name(id_, group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = good(H5Aget_space(attribute));
    Array a = sized(space);
    good(H5Aread(attribute, H5T_NATIVE_DOUBLE, a.values.data()));
    H5Sclose(space);
    H5Aclose(attribute);
    return a;
  }
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const {
    const hid_t attribute = good(H5Aopen(id_, name.c_str(), H5P_DEFAULT));
    const hid_t space = good(H5Aget_space(attribute));
    const hid_t type = good(H5Aget_type(attribute));
    std::vector<char*> list(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    good(H5Aread(attribute, type, list.data()));
    std::vector<std::string> texts(list.begin(), list.end());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, list.data());
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return texts;
  }
  [[nodiscard]] bool hasAttribute(const std::string& name) const { return H5Aexists(id_, name.c_str()) > 0; }

private:
  template <class T> static T good(T id) {
    if (id < 0) throw std::runtime_error("an HDF5 call failed");
    return id;
  }
  static Array sized(hid_t space) {
    Array a;
    std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, extent.data(), nullptr);
    a.shape.assign(extent.begin(), extent.end());
    a.values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    return a;
  }
  hid_t id_;
};

} // namespace

TEST(Hdf5, HoldsWhatTheArchiveHolds) {
  const Workspace w;
  for (const char* name : {"heavy_top", "two_quadrotors", "magnetic_dipoles", "humming_top"}) {
    for (const char* file : {"out.npz", "out.h5"}) {
      const Outcome outcome = w.lmc({"run", example(name), "--method", "RKMK4", "--output", w.path(file).string(),
                                     "--time", "0..0.05", "--quiet"});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    const auto archive = readNpz(readFile(w.path("out.npz")));
    const File file(w.path("out.h5"));
    EXPECT_EQ(file.datasets().size(), archive.size()) << name;
    for (const auto& [variable, array] : archive) {
      const Array read = file.dataset(variable);
      EXPECT_EQ(read.shape, array.shape) << name << " " << variable;
      EXPECT_EQ(read.values, array.values) << name << " " << variable;
    }
  }
}

TEST(Hdf5, AppendsChunkAfterChunk) {
  const Workspace w;
  const std::string out = w.path("out.h5").string();
  ASSERT_EQ(w.lmc({"run", example("heavy_top"), "--time", "0..2", "--step", "1e-4", "--output", out, "--quiet"}).status,
            0);
  const File file(out);
  const Array t = file.dataset("t");
  ASSERT_EQ(t.shape, Shape{20001});
  for (std::size_t k = 0; k < t.values.size(); ++k) ASSERT_NEAR(t.values[k], 1e-4 * double(k), 1e-12);
  const Array R = file.dataset("R");
  ASSERT_EQ(R.shape, (Shape{20001, 3, 3}));
  for (std::size_t k = 0; k < t.values.size(); ++k) { // the first column of a rotation
    const double* r = R.values.data() + 9 * k;
    ASSERT_NEAR(r[0] * r[0] + r[3] * r[3] + r[6] * r[6], 1, 1e-11) << k;
  }
}

TEST(Hdf5, TellsWhatTheRunWasMadeFrom) {
  const Workspace w;
  const std::string part = w.write("part.lie", "fn square(x) = x*x;\n").string();
  const std::string model =
      "import \"part.lie\";\n// Grüße\nmodel A {\n  param N : int = 3;\n  param k[N] = [1, 2, 4];\n"
      "  param J : mat(2,2) = diag(5, 6);\n  param many[i in 1..5000] = i;\n"
      "  config x : R velocity v;\n  lagrangian = 0.5*square(v) - 0.5*k[2]*x*x + 0*J[1,1]*many[3];\n"
      "  initial x = 1;\n  observe parameters = 2*x;\n"
      "  simulate { method = CF4; time = 0..1; step = 0.25; seed = 7; }\n}\n";
  w.write("a.lie", model);
  const std::string out = w.path("out.h5").string();
  const Outcome outcome = w.lmc({"run", "a.lie", "--set", "k[2]=3", "--output", out, "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const File file(out);
  EXPECT_EQ(file.texts("model"), std::vector<std::string>{"A"});
  EXPECT_EQ(file.texts("method"), std::vector<std::string>{"CF4"});
  EXPECT_TRUE(w.lmc({"--version"}).out.find(file.texts("lmc_version").at(0)) != std::string::npos);
  const std::vector<std::string> names = file.texts("source_files");
  const std::vector<std::string> texts = file.texts("source_texts");
  ASSERT_EQ(names.size(), texts.size());
  EXPECT_EQ(texts.at(0), model);
  EXPECT_NE(std::find(texts.begin(), texts.end(), "fn square(x) = x*x;\n"), texts.end());
  const bool method = std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return text.find("method CF4 order 4") != std::string::npos;
  });
  EXPECT_TRUE(method) << "the texts of the library belong to it";
  EXPECT_EQ(file.numbers(".", "step").values, std::vector<double>{0.25});
  EXPECT_EQ(file.numbers(".", "time_to").values, std::vector<double>{1});
  EXPECT_EQ(file.numbers(".", "seed").values, std::vector<double>{7});
  EXPECT_FALSE(file.hasAttribute("tolerance"));
  // An observable has the name of the group, which gets another one.
  EXPECT_EQ(file.dataset("parameters").values.at(0), 2);
  EXPECT_EQ(file.numbers("parameters_", "k").values, (std::vector<double>{1, 3, 4}));
  EXPECT_EQ(file.numbers("parameters_", "N").values, std::vector<double>{3});
  EXPECT_EQ(file.numbers("parameters_", "J").shape, (Shape{2, 2}));
  EXPECT_EQ(file.dataset("parameters_/many").values.at(4999), 5000) << "too many for an attribute";
}

TEST(Hdf5, OfAFailedRunIsReadable) {
  const Workspace w;
  const std::string csv = w.path("out.csv").string(), out = w.path("out.h5").string();
  EXPECT_EQ(w.lmc({"run", testModel("blow_up"), "--output", csv, "--quiet"}).status, 3);
  EXPECT_EQ(w.lmc({"run", testModel("blow_up"), "--output", out, "--quiet"}).status, 3);
  const std::string text = readFile(csv);
  const std::size_t samples = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
  EXPECT_EQ(File(out).dataset("t").shape, Shape{samples});
}

TEST(Hdf5, OfAKilledRunHoldsWhatWasSampled) {
  const Workspace w;
  const std::string out = w.path("out.h5").string();
  const pid_t child = fork();
  if (child == 0) { // writes, and ends without a word
    const auto sink = lmc::runtime::openOutput(out);
    sink->begin({{"x", {1}}, {"x", {2}}});
    for (const double t : {0.0, 1.0, 2.0}) sink->sample(t, std::array{t, -t});
    std::this_thread::sleep_for(std::chrono::milliseconds(550));
    sink->sample(3, std::array{3.0, -3.0});
    sink->sample(4, std::array{4.0, -4.0});
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const File file(out);
  EXPECT_EQ(file.dataset("t").values, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(file.dataset("x").values, (std::vector<double>{0, 0, 1, -1, 2, -2, 3, -3}));
}

TEST(Hdf5, ThatCannotBeWrittenIsAnError) {
  const Workspace w;
  const Outcome outcome = w.lmc({"run", example("heavy_top"), "--output", w.path("none/out.h5").string()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("none/out.h5"), std::string::npos) << outcome.err;
}

TEST(Hdf5, AFullDiskIsAnError) {
  const Workspace w;
  const std::string out = w.path("out.h5").string();
  const pid_t child = fork();
  if (child == 0) { // a file that may not grow behaves like one on a full disk
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      const auto sink = lmc::runtime::openOutput(out);
      sink->begin({{"x", {1}}, {"x", {2}}});
      for (int k = 0; k < 100'000; ++k) sink->sample(k, std::array{1.0, 2.0});
      sink->finish();
    } catch (const lmc::runtime::OutputError& error) {
      _exit(std::string(error.what()).find("out.h5") != std::string::npos ? 7 : 8);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}
