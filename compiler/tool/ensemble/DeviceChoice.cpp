#include "tool/ensemble/DeviceChoice.h"

#include "backends/CodeGenerator.h"
#include "runtime/device/DeviceLanes.h"
#include "tool/runs/RunChecks.h"

#include <fmt/format.h>
#include <optional>

namespace lmc::tool {

namespace {

/// Below, code for the device would be made, loaded and filled for less than a second of work of a processor.
constexpr std::int64_t worthDevice = 10'000;
/// Where numbers of 64 bits are so many times slower than those of 32, a device is no faster than a processor.
constexpr int slowDouble = 32;

/// Something that speaks against the device.
struct Refusal {
  Code code;
  std::string why;
};

/// What speaks against it before it is opened.
std::optional<Refusal> refusalOf(const Study& study) {
  const std::string& obstacle = study.problem->deviceObstacle;
  if (obstacle.empty()) return std::nullopt;
  return Refusal{Code::LIE0685, "a graphics processor cannot make these samples: the model has " + obstacle};
}

/// Gives the study to the device; says how.
std::string give(Study& study, const std::shared_ptr<const runtime::Device>& device, int threads) {
  runtime::EnsembleProblem& e = *study.problem;
  const double rowBytes = 8 * static_cast<double>(study.shape.times.size() * study.shape.columns.size());
  const runtime::DeviceShare share =
      runtime::shareOf(*device, e.problem, e.samples, study.shape.block, rowBytes, threads);
  const auto program = std::make_shared<const runtime::DeviceProgram>(device, e.deviceCode());
  const runtime::Functions& f = e.problem.functions;
  const std::string kernel =
      e.problem.control ? backends::functionSymbol(static_cast<std::size_t>(f.series >= 0 ? f.series : f.trial))
                        : std::string(backends::advanceSymbol);
  const runtime::DeviceProgram::Needs needs = program->needs(kernel);
  e.device = runtime::EnsembleDevice{[program, &problem = e.problem, share] {
                                       return std::make_unique<runtime::DeviceLanes>(program, problem, share.lanes);
                                     },
                                     share.blocks};
  return fmt::format(
      "{} (compute capability {}, driver for CUDA {}): {} samples at once{}, {} registers and {} bytes of "
      "local memory each",
      device->name(), device->capability(), device->driverVersion(), share.lanes,
      threads > 1 ? fmt::format(" in each of {} threads", threads) : std::string(), needs.registers, needs.localBytes);
}

std::string chosenByItself(Study& study, int threads) {
  const std::string processor = "the processor: ";
  const std::int64_t samples = study.problem->samples;
  if (samples < worthDevice)
    return processor +
           fmt::format("{} samples are too few for a device, which is taken from {} on", samples, worthDevice);
  if (const std::optional<Refusal> refusal = refusalOf(study)) return processor + refusal->why;
  try {
    std::shared_ptr<const runtime::Device> device = runtime::Device::open();
    if (device->singleToDouble() >= slowDouble)
      return processor + fmt::format("numbers of 64 bits are {} times slower than those of 32 on `{}`",
                                     device->singleToDouble(), device->name());
    const std::string name = give(study, std::move(device), threads);
    return name + fmt::format(", chosen for {} samples", samples);
  } catch (const runtime::DeviceError& error) {
    study.problem->device.reset();
    return processor + error.what();
  }
}

} // namespace

DeviceWish deviceWish(const std::string& word) {
  if (word == "cpu") return DeviceWish::Processor;
  if (word == "gpu") return DeviceWish::Device;
  if (word == "auto") return DeviceWish::Auto;
  throw UsageError("--device is cpu, gpu or auto, not `" + word + "`");
}

std::string chooseDevice(Study& study, DeviceWish wish, int threads) {
  if (wish == DeviceWish::Processor) return "the processor";
  if (wish == DeviceWish::Auto) return chosenByItself(study, threads);
  std::optional<Refusal> refusal = refusalOf(study);
  if (!refusal) {
    try {
      std::shared_ptr<const runtime::Device> device = runtime::Device::open();
      try {
        return give(study, std::move(device), threads);
      } catch (const runtime::DeviceError& error) {
        refusal = {Code::LIE0686, error.what()};
      }
    } catch (const runtime::DeviceError& error) {
      refusal = {Code::LIE0684, error.what()};
    }
  }
  study.problem->device.reset();
  commandLineError(study.pipeline, refusal->code, "--device gpu", refusal->why)
      .suggest("--device cpu makes the same file, in lanes of the processor");
  return {};
}

} // namespace lmc::tool
