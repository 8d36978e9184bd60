#include "runtime/parts/PartFile.h"

#include "runtime/ensemble/Checkpoint.h"
#include "runtime/ensemble/Output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace lmc::runtime {

namespace {

using nlohmann::ordered_json;

constexpr int version = 1;
constexpr const char* versionKey = "lmc_ensemble_part";

/// Writes the members of a head, and reads them again: one list of them serves both.
class HeadWriter {
public:
  void operator()(std::int64_t x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); }
  void operator()(std::uint64_t x) { (*this)(static_cast<std::int64_t>(x)); }
  void operator()(double x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); }
  void operator()(const std::string& s) {
    (*this)(static_cast<std::int64_t>(s.size()));
    bytes += s;
  }
  std::int64_t count(std::size_t n) {
    (*this)(static_cast<std::int64_t>(n));
    return static_cast<std::int64_t>(n);
  }
  std::string bytes;
};

class HeadReader {
public:
  explicit HeadReader(const std::string& b) : bytes(b) {}
  void operator()(std::int64_t& x) { take(&x, sizeof x); }
  void operator()(std::uint64_t& x) { take(&x, sizeof x); }
  void operator()(double& x) { take(&x, sizeof x); }
  void operator()(std::string& s) {
    s.resize(static_cast<std::size_t>(count(0)));
    take(s.data(), s.size());
  }
  /// Of a list: no more than there are bytes.
  std::int64_t count(std::size_t) {
    std::int64_t n = 0;
    (*this)(n);
    if (n < 0 || static_cast<std::uint64_t>(n) > bytes.size() - at) throw CheckpointError("its head is damaged");
    return n;
  }

private:
  void take(void* to, std::size_t n) {
    if (n > bytes.size() - at) throw CheckpointError("its head is damaged");
    if (n > 0) std::memcpy(to, bytes.data() + at, n);
    at += n;
  }
  const std::string& bytes;
  std::size_t at = 0;
};

template <class Visitor, class List, class Each> void each(Visitor& v, List& list, Each visitOne) {
  const auto n = static_cast<std::size_t>(v.count(list.size()));
  if constexpr (std::is_same_v<Visitor, HeadReader>) list.resize(n);
  for (auto& one : list) visitOne(one);
}

template <class Visitor, class Header> void visit(Visitor& v, Header& h) {
  const auto number = [&](auto& x) { v(x); };
  const auto entry = [&](auto& e) {
    v(e.field);
    each(v, e.index, number);
  };
  std::int64_t keep = static_cast<std::int64_t>(h.shape.keep);
  v(keep);
  if constexpr (std::is_same_v<Visitor, HeadReader>) h.shape.keep = static_cast<EnsembleKeep>(keep);
  each(v, h.shape.columns, entry);
  each(v, h.shape.varied, entry);
  each(v, h.shape.times, number);
  v(h.shape.samples);
  v(h.shape.block);
  auto& a = h.about;
  for (auto* text : {&a.model, &a.method, &a.version}) v(*text);
  each(v, a.sources, [&](auto& s) {
    v(s.first);
    v(s.second);
  });
  each(v, a.parameters, [&](auto& p) {
    v(p.name);
    each(v, p.shape, number);
    each(v, p.values, number);
  });
  for (auto* x : {&a.timeFrom, &a.timeTo, &a.step, &a.tolerance}) v(*x);
  v(a.seed);
}

/// What the processor calls itself.
std::string processorName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "an unknown processor";
}

std::string lineOf(const PartHeader& h) {
  ordered_json j;
  j[versionKey] = version;
  j["part"] = h.part.number;
  j["parts"] = h.part.count;
  j["processor"] = h.processor;
  j["study"] = ordered_json::parse(h.study);
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string partText(const PartNumber& p) {
  return fmt::format("{} of {}", p.number, p.count);
}

PartHeader headerOf(const BlockReader& file) {
  const ordered_json j = ordered_json::parse(file.line(), nullptr, false);
  const auto refuse = [&](const char* why) {
    throw CheckpointError(fmt::format("`{}` is not a part of an ensemble that this lmc can read{}", file.name(), why));
  };
  if (!j.is_object() || !j.contains(versionKey)) refuse("");
  if (j.at(versionKey) != version) refuse(": another version has written it");
  if (file.head().empty()) refuse(": its beginning is damaged or was not finished");
  PartHeader h;
  try {
    h.part = {j.at("part").get<std::int64_t>(), j.at("parts").get<std::int64_t>()};
    h.processor = j.at("processor").get<std::string>();
    h.study = j.at("study").dump();
    HeadReader from(file.head());
    std::uint64_t checksum = 0; // of the line
    from(checksum);
    if (checksum != checksumOf(file.line())) refuse(": its first line was changed");
    visit(from, h);
  } catch (const ordered_json::exception&) {
    refuse(": its first line was changed");
  }
  const EnsembleShape& s = h.shape;
  if (h.part.number < 1 || h.part.number > h.part.count || s.samples < 1 || s.block < 1) refuse(": it is damaged");
  return h;
}

/// Why two studies are not the same; empty if they are.
std::string misfit(const PartHeader& then, const PartHeader& now) {
  std::string why = ensembleMisfit(then.study, now.study);
  if (!why.empty() && then.processor != now.processor)
    why += fmt::format(" (it was made on {}, the other on {})", then.processor, now.processor);
  return why;
}

/// "samples 128..191, 320..383 and 3 blocks more"
std::string samplesOf(const EnsembleShape& shape, const std::vector<std::int64_t>& blocks) {
  constexpr std::size_t most = 3;
  std::string text = "samples ";
  for (std::size_t k = 0; k < std::min(most, blocks.size()); ++k)
    text += fmt::format("{}{}..{}", k > 0 ? ", " : "", blocks[k] * shape.block,
                        blocks[k] * shape.block + shape.count(blocks[k]) - 1);
  if (blocks.size() > most) text += fmt::format(" and {} more blocks", blocks.size() - most);
  return text;
}

} // namespace

PartHeader partHeader(PartNumber part, const std::string& identity, EnsembleShape shape, RunDescription about) {
  PartHeader h;
  h.part = part;
  ordered_json study = ordered_json::parse(identity);
  std::string texts;
  for (const auto& [name, text] : about.sources) texts += fmt::format("{}\n{}", text.size(), text);
  study["text"] = fmt::format("{:016x}", checksumOf(texts));
  h.study = study.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  h.processor = processorName();
  h.shape = std::move(shape);
  h.about = std::move(about);
  return h;
}

PartFile readPart(const std::filesystem::path& file) {
  BlockReader blocks(file);
  PartHeader header = headerOf(blocks);
  blocks.release();
  return {std::move(header), std::move(blocks)};
}

std::vector<PartFault> faultsOf(const std::vector<PartFile>& parts) {
  std::vector<PartFault> faults;
  const PartHeader& first = parts.front().header;
  std::map<std::int64_t, const PartFile*> have;
  for (const PartFile& p : parts) {
    const PartHeader& h = p.header;
    const std::string& name = p.blocks.name();
    if (const std::string why = misfit(h, first); !why.empty()) {
      faults.push_back(
          {name, fmt::format("`{}` is a part of another study than `{}`: {}", name, parts.front().blocks.name(), why),
           "merge the parts of one study only"});
      continue;
    }
    if (h.part.count != first.part.count) {
      faults.push_back({name,
                        fmt::format("`{}` is part {}, but `{}` is part {}", name, partText(h.part),
                                    parts.front().blocks.name(), partText(first.part)),
                        "all parts are of one number of parts"});
      continue;
    }
    if (const auto [place, added] = have.emplace(h.part.number, &p); !added) {
      faults.push_back(
          {name, fmt::format("`{}` and `{}` are both part {}", place->second->blocks.name(), name, partText(h.part)),
           "give each part once"});
      continue;
    }
    std::vector<std::int64_t> missing;
    for (std::int64_t k = 0; k < p.needed(); ++k)
      if (!p.blocks.has(h.part.block(k))) missing.push_back(h.part.block(k));
    if (!missing.empty() || p.blocks.sound() < p.blocks.size()) {
      const char* const state =
          p.blocks.sound() < p.blocks.size() ? "damaged, or cut off while it was written" : "not finished";
      const std::string lacks = missing.empty() ? std::string()
                                                : fmt::format(": it has {} of {} blocks, {} are missing",
                                                              p.needed() - static_cast<std::int64_t>(missing.size()),
                                                              p.needed(), samplesOf(h.shape, missing));
      faults.push_back(
          {name, fmt::format("`{}`, part {}, is {}{}", name, partText(h.part), state, lacks),
           fmt::format("the same command with --part {}/{} makes the rest of it", h.part.number, h.part.count)});
    }
  }
  std::vector<std::int64_t> missing;
  for (std::int64_t k = 1; k <= first.part.count; ++k)
    if (!have.contains(k) && PartNumber{k, first.part.count}.blocks(first.shape.blocks()) > 0) missing.push_back(k);
  constexpr std::size_t most = 20;
  for (std::size_t k = 0; k < missing.size() && faults.size() < 2 * most; ++k) {
    const PartNumber part{missing[k], first.part.count};
    std::vector<std::int64_t> blocks;
    for (std::int64_t b = 0; b < part.blocks(first.shape.blocks()); ++b) blocks.push_back(part.block(b));
    const bool last = k + 1 == most && missing.size() > most;
    faults.push_back({parts.front().blocks.name(),
                      fmt::format("part {} is missing: {}{}", partText(part), samplesOf(first.shape, blocks),
                                  last ? fmt::format("; so are {} parts more", missing.size() - most) : ""),
                      fmt::format("the command of the study with --part {}/{} makes it", part.number, part.count)});
    if (last) break;
  }
  return faults;
}

EnsembleResult mergeParts(const std::vector<PartFile>& parts, Sink& sink, const std::function<bool(double)>& progress) {
  const EnsembleShape& shape = parts.front().header.shape;
  std::vector<const PartFile*> byNumber(static_cast<std::size_t>(parts.front().header.part.count));
  for (const PartFile& p : parts) byNumber[static_cast<std::size_t>(p.header.part.number - 1)] = &p;
  EnsembleTable table(shape, sink);
  EnsembleResult result;
  const std::int64_t blocks = shape.blocks();
  for (std::int64_t index = 0; index < blocks; ++index) {
    if (!progress(static_cast<double>(index) / static_cast<double>(blocks))) {
      result.interrupted = true;
      break;
    }
    const PartFile& part = *byNumber[static_cast<std::size_t>(index % static_cast<std::int64_t>(byNumber.size()))];
    const EnsembleBlock block = part.blocks.block(index);
    if (!block.fits(shape, index))
      throw CheckpointError(fmt::format("`{}` has a block of samples that does not belong to it", part.blocks.name()));
    table.take(block);
    result.add(block);
  }
  table.finish();
  return result;
}

// --- making a part

PartWriter::PartWriter(const std::filesystem::path& file, const PartHeader& header) : header_(header) {
  const std::int64_t blocks = header_.part.blocks(header_.shape.blocks());
  have_.assign(static_cast<std::size_t>(blocks), false);
  for (std::int64_t k = 0; k < blocks; ++k) samples_ += header_.shape.count(header_.part.block(k));
  open(file);
  begin(file);
}

void PartWriter::open(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
  if (descriptor < 0) throw cannotWrite(file.string(), errno);
  file_ = OutputFile(descriptor, true, file.string());
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
    throw OutputError("cannot write `" + file.string() + "`: a part is a file on a disk", OutputFault::Place);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  locked_ = ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
  if (!locked_ && (errno == EAGAIN || errno == EACCES))
    throw CheckpointError(
        fmt::format("another process is making `{}` at this moment; a part has one maker", file.string()));
}

void PartWriter::begin(const std::filesystem::path& file) {
  const std::string line = lineOf(header_);
  HeadWriter head;
  head(checksumOf(line));
  visit(head, header_);
  const std::string start = line + "\n" + headRecord(head.bytes);
  const BlockReader reader(file);
  std::string there(std::min<std::uint64_t>(reader.size(), start.size()), '\0');
  std::ifstream(file, std::ios::binary).read(there.data(), static_cast<std::streamsize>(there.size()));
  if (reader.size() < start.size() && start.compare(0, there.size(), there) == 0) { // new, or cut off in the beginning
    file_.cut(0);
    file_.write(start.data(), start.size());
    return;
  }
  PartHeader then;
  try {
    then = headerOf(reader);
  } catch (const CheckpointError& error) {
    throw OtherPart(std::string(error.what()) + ", and is not written over");
  }
  if (const std::string why = misfit(then, header_); !why.empty())
    throw OtherPart(fmt::format("`{}` is a part of another study and is not written over: {}", reader.name(), why));
  if (then.part != header_.part)
    throw OtherPart(fmt::format("`{}` is part {} of this study and is not written over: this is part {}", reader.name(),
                                partText(then.part), partText(header_.part)));
  for (std::size_t k = 0; k < have_.size(); ++k) {
    const std::int64_t index = header_.part.block(static_cast<std::int64_t>(k));
    if (!reader.has(index)) continue;
    const EnsembleBlock block = reader.block(index);
    if (!block.fits(header_.shape, index))
      throw OtherPart(fmt::format("`{}` has a block of samples that does not belong to it", reader.name()));
    have_[k] = true;
    known_ += block.count;
    counted_.add(block);
  }
  file_.cut(reader.sound()); // what was cut off, or is damaged, is made again
}

std::optional<std::int64_t> PartWriter::next() {
  const std::lock_guard lock(mutex_);
  while (taken_ < static_cast<std::int64_t>(have_.size()) && have_[static_cast<std::size_t>(taken_)]) ++taken_;
  if (stopped_ || taken_ >= static_cast<std::int64_t>(have_.size())) return std::nullopt;
  return header_.part.block(taken_++);
}

void PartWriter::made(std::unique_ptr<EnsembleBlock> block) {
  const std::string bytes = recordOf(*block);
  const std::lock_guard lock(mutex_);
  file_.write(bytes.data(), bytes.size());
  counted_.add(*block);
  if (!syncing_.due()) return;
  syncing_.begin();
  file_.sync();
  syncing_.end();
}

} // namespace lmc::runtime
