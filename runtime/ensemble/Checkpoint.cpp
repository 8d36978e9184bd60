#include "runtime/ensemble/Checkpoint.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::runtime {

namespace {

using nlohmann::ordered_json;

constexpr int version = 2;
constexpr const char* versionKey = "lmc_ensemble_checkpoint";
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
  j["version"] = LMC_VERSION;
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
    if (key == "text") return "the text of its model, or of a file that it is made from, is another one";
    return fmt::format("its {} is {}, here it is {}", key, a.contains(key) ? a.at(key).dump() : "not given",
                       value.dump());
  }
  return a.size() == b.size() ? std::string() : "it has other settings";
}

BlockReader readEnsembleCheckpoint(const std::filesystem::path& file) {
  BlockReader reader(file);
  const ordered_json j = ordered_json::parse(reader.line(), nullptr, false);
  if (!j.is_object() || !j.contains(versionKey) || j.at(versionKey) != version)
    throw CheckpointError("`" + file.string() + "` is not a checkpoint of an ensemble that this lmc can read");
  return reader;
}

EnsembleCheckpointFile::EnsembleCheckpointFile(const std::filesystem::path& file, const std::string& identity,
                                               const BlockReader* known) {
  // Under another name first: what was there stays until the new file holds as much.
  try {
    WholeFile whole(file);
    const auto put = [&](const std::string& bytes) { whole.out().write(bytes.data(), bytes.size()); };
    put(identity + "\n");
    for (const std::int64_t index : known != nullptr ? known->blocks() : std::vector<std::int64_t>())
      put(known->record(index));
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
  const std::string bytes = recordOf(block);
  try {
    out_.write(bytes.data(), bytes.size());
  } catch (const OutputError& error) {
    throw CheckpointError("the checkpoint is not kept: " + std::string(error.what()));
  }
}

} // namespace lmc::runtime
