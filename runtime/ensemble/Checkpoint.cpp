#include "runtime/ensemble/Checkpoint.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace lmc::runtime {

namespace {

using nlohmann::ordered_json;

constexpr int version = 1;
constexpr const char* versionKey = "lmc_ensemble_checkpoint";
constexpr std::uint64_t mark = 0x6B636F6C42636D6CU; // "lmcBlock"

/// The numbers of a block as bytes, and back.
class Packer {
public:
  template <typename T> void operator()(const T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  template <typename T> void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
  }
  std::string bytes;
};

class Unpacker {
public:
  explicit Unpacker(const std::string& b) : bytes(b) {}
  template <typename T> void operator()(T& x) { take(&x, sizeof x); }
  template <typename T> void operator()(std::vector<T>& list) {
    std::size_t n = 0;
    (*this)(n);
    if (n > (bytes.size() - at) / sizeof(T)) throw CheckpointError("a block is damaged");
    list.resize(n);
    take(list.data(), n * sizeof(T));
  }

private:
  void take(void* to, std::size_t n) {
    if (n > bytes.size() - at) throw CheckpointError("a block is damaged");
    if (n > 0) std::memcpy(to, bytes.data() + at, n);
    at += n;
  }
  const std::string& bytes;
  std::size_t at = 0;
};

template <class Visitor, class Block> void visit(Visitor& v, Block& b) {
  v(b.index);
  v(b.first);
  v(b.count);
  v(b.steps);
  v(b.rejected);
  v(b.statuses);
  v(b.ends);
  v(b.varied);
  v(b.rows);
  v(b.moments);
}

std::string packed(const EnsembleBlock& block) {
  Packer body;
  visit(body, block);
  Packer whole;
  whole(mark);
  whole(body.bytes.size());
  whole(checksumOf(body.bytes));
  return whole.bytes + body.bytes;
}

/// Reads one block; false where the file ends or is damaged.
bool unpack(std::istream& in, EnsembleBlock& block) {
  std::uint64_t head[3] = {};
  if (!in.read(reinterpret_cast<char*>(head), sizeof head) || head[0] != mark) return false;
  constexpr std::uint64_t most = std::uint64_t{1} << 34U;
  if (head[1] > most) return false;
  std::string bytes(head[1], '\0');
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || checksumOf(bytes) != head[2]) return false;
  Unpacker body(bytes);
  visit(body, block);
  return true;
}

} // namespace

std::string ensembleIdentity(const EnsembleProblem& e, const EnsemblePlan& plan) {
  const Problem& p = e.problem;
  constexpr const char* kinds[] = {"final", "statistics", "all"};
  ordered_json j;
  j[versionKey] = version;
  j["model"] = p.model;
  j["method"] = p.method;
  j["samples"] = e.samples;
  j["seed"] = p.seed;
  j["vary"] = e.variations;
  j["keep"] = kinds[static_cast<std::size_t>(plan.keep)];
  j["time"] = {fmt::format("{:a}", p.timeFrom), fmt::format("{:a}", p.timeTo)};
  j["step"] = fmt::format("{:a}", p.step);
  if (p.control) {
    j["controller"] = controllerText(p.control->controller, p.control->safety);
    for (const double t : p.control->tolerances) j["tolerances"].push_back(fmt::format("{:a}", t));
  }
  j["rows"] = {plan.times.size(), plan.stride, fmt::format("{:a}", plan.every)};
  j["block"] = plan.block;
  j["parameters"] = ordered_json::object();
  for (const NamedArray& a : p.parameters())
    for (const double x : a.values) j["parameters"][a.name].push_back(fmt::format("{:a}", x));
  j["code"] = p.codeKey;
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string ensembleMisfit(const std::string& then, const std::string& now) {
  const ordered_json a = ordered_json::parse(then), b = ordered_json::parse(now);
  for (const auto& [key, value] : b.items()) {
    if (a.contains(key) && a.at(key) == value) continue;
    if (key == "code")
      return "its compiled step is another one: the text of the model or of the method, the version of lmc or the "
             "processor has changed";
    if (key == "parameters") return "it has other parameters";
    return fmt::format("its {} is {}, here it is {}", key, a.contains(key) ? a.at(key).dump() : "not given",
                       value.dump());
  }
  return a.size() == b.size() ? std::string() : "it has other settings";
}

EnsembleCheckpoint readEnsembleCheckpoint(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw CheckpointError("cannot read the checkpoint '" + file.string() + "'");
  EnsembleCheckpoint result;
  std::getline(in, result.identity);
  const ordered_json j = ordered_json::parse(result.identity, nullptr, false);
  if (!j.is_object() || !j.contains(versionKey) || j.at(versionKey) != version)
    throw CheckpointError("'" + file.string() + "' is not a checkpoint of an ensemble that this lmc can read");
  for (EnsembleBlock block; unpack(in, block); block = {}) result.blocks[block.index] = std::move(block);
  return result;
}

EnsembleCheckpointFile::EnsembleCheckpointFile(const std::filesystem::path& file, const std::string& identity,
                                               const std::map<std::int64_t, EnsembleBlock>& blocks) {
  // Under another name first: what was there stays until the new file holds as much.
  try {
    WholeFile whole(file);
    const auto put = [&](const std::string& bytes) { whole.out().write(bytes.data(), bytes.size()); };
    put(identity + "\n");
    for (const auto& [index, block] : blocks) put(packed(block));
    const std::filesystem::path place = followed(file);
    whole.commit(true);
    const int descriptor = ::open(place.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor < 0) throw cannotWrite(file.string(), errno);
    out_ = OutputFile(descriptor, true, file.string());
  } catch (const OutputError& error) {
    throw CheckpointError("the checkpoint is not kept: " + std::string(error.what()));
  }
}

void EnsembleCheckpointFile::add(const EnsembleBlock& block) {
  write(packed(block));
}

void EnsembleCheckpointFile::write(const std::string& bytes) {
  try {
    out_.write(bytes.data(), bytes.size());
  } catch (const OutputError& error) {
    throw CheckpointError("the checkpoint is not kept: " + std::string(error.what()));
  }
}

} // namespace lmc::runtime
