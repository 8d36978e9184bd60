#include "Ptx.h"

#include "Operations.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace lmc::stub {

namespace {

// The first slots are those of %tid.x, %ntid.x, %ctaid.x.
constexpr std::uint32_t threadSlot = 0, sizeSlot = 1, blockSlot = 2, firstSlot = 3;

class Reader {
public:
  explicit Reader(const std::string& text) : lines_(text) {}

  std::map<std::string, Kernel> run() {
    std::map<std::string, Kernel> kernels;
    for (std::string line; next(line);) {
      const bool entry = line.rfind(".visible .entry ", 0) == 0;
      if (entry || line.rfind(".func ", 0) == 0) {
        Kernel k = kernel(line.substr(entry ? 16 : 6));
        k.entry = entry;
        if (!k.code.empty()) kernels[k.name] = std::move(k); // otherwise it is announced
      } else if (line.find(".func") != std::string::npos || line.rfind(".global", 0) == 0) {
        throw PtxError("a kernel was expected, not: " + line);
      }
    }
    for (auto& [name, k] : kernels)
      for (Instruction& i : k.code) {
        if (i.calls.empty()) continue;
        const auto found = kernels.find(i.calls);
        if (found == kernels.end()) throw PtxError("there is no function " + i.calls);
        i.called = &found->second;
      }
    return kernels;
  }

private:
  /// A line without comments and blanks around it that is not empty.
  bool next(std::string& line) {
    while (std::getline(lines_, line)) {
      line = trimmed(line.substr(0, line.find("//")));
      if (!line.empty()) return true;
    }
    return false;
  }
  static std::string trimmed(const std::string& s) {
    const std::size_t from = s.find_first_not_of(" \t"), to = s.find_last_not_of(" \t");
    return from == std::string::npos ? "" : s.substr(from, to - from + 1);
  }

  Kernel kernel(std::string line) {
    k_ = {};
    slots_ = {{"%tid.x", threadSlot}, {"%ntid.x", sizeSlot}, {"%ctaid.x", blockSlot}};
    parameters_.clear();
    labels_.clear();
    jumps_.clear();
    k_.name = trimmed(line.substr(0, line.find('(')));
    while (line != "{" && line != ";" && next(line))
      if (line.rfind(".param", 0) == 0) parameter(line);
    for (int open = 1; line != ";" && open > 0 && next(line);) { // calls have a block of their own
      open += line[0] == '{' ? 1 : line[0] == '}' ? -1 : 0;
      if (open > 0) statement(line);
    }
    for (const auto& [index, label] : jumps_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) throw PtxError("there is no label " + label);
      k_.code[index].operands[0].value = found->second;
    }
    k_.slots = firstSlot + static_cast<std::uint32_t>(slots_.size());
    return k_;
  }

  void parameter(const std::string& line) {
    std::istringstream words(line);
    std::string word, type;
    while (words >> word)
      if (word[0] == '.' && word != ".param" && word != ".ptr" && word != ".align" && word != ".global") type = word;
    if (word.back() == ',') word.pop_back();
    const std::size_t size = type.find("64") != std::string::npos ? 8 : type.find("32") != std::string::npos ? 4 : 0;
    if (size == 0) throw PtxError("a parameter of an unknown type: " + line);
    std::size_t at = k_.offsets.empty() ? 0 : k_.offsets.back() + k_.sizes.back();
    at = (at + size - 1) / size * size;
    k_.offsets.push_back(at);
    k_.sizes.push_back(size);
    parameters_[word] = at;
  }

  void statement(const std::string& line) {
    if (line.rfind(".local", 0) == 0) {
      const std::size_t from = line.find('[');
      k_.localBytes = std::stoul(line.substr(from + 1));
      depot_ = line.substr(0, from);
      depot_ = depot_.substr(depot_.find_last_of(" \t") + 1);
    } else if (line[0] == '.' || line == "{" || line == "}" || line[0] == '\\') {
      return; // registers, pragmas, places in sources
    } else if (line.back() == ':') {
      labels_[line.substr(0, line.size() - 1)] = k_.code.size();
    } else if (line.rfind("call", 0) == 0) {
      call(line);
    } else {
      instruction(line);
    }
  }

  /// call.uni name, (param0, param1); in several lines.
  void call(std::string line) {
    for (std::string more; line.back() != ';' && next(more);) line += ' ' + more;
    Instruction i;
    i.text = line;
    std::string rest = trimmed(line.substr(line.find_first_of(" \t")));
    if (rest[0] == '(') throw PtxError("a function with a result: " + line);
    i.calls = trimmed(rest.substr(0, rest.find_first_of(",;")));
    choose(i, line.substr(0, line.find_first_of(" \t")));
    k_.code.push_back(std::move(i));
  }

  void instruction(std::string line) {
    Instruction i;
    i.text = line;
    if (line.back() != ';') throw PtxError("an instruction without an end: " + line);
    line.pop_back();
    if (line[0] == '@') {
      const std::size_t to = line.find_first_of(" \t");
      i.negated = line[1] == '!';
      i.guard = static_cast<std::int32_t>(slot(line.substr(i.negated ? 2 : 1, to - (i.negated ? 2 : 1))));
      line = trimmed(line.substr(to));
    }
    const std::size_t to = line.find_first_of(" \t");
    const std::string operation = line.substr(0, to);
    std::string rest = to == std::string::npos ? "" : line.substr(to);
    std::replace_if(
        rest.begin(), rest.end(), [](char c) { return c == '{' || c == '}'; }, ' ');
    std::istringstream operands(rest);
    for (std::string o; std::getline(operands, o, ',');) i.operands.push_back(operand(trimmed(o), operation));
    choose(i, operation);
    k_.code.push_back(std::move(i));
  }

  static void choose(Instruction& i, const std::string& operation) {
    const Row* const row = rowOf(operation);
    if (row == nullptr) throw PtxError("an unknown instruction: " + i.text);
    i.action = row->action;
    i.bytes = row->bytes;
    if (i.operands.size() != row->operands) throw PtxError("a wrong number of operands: " + i.text);
  }

  std::uint32_t slot(const std::string& name) {
    return slots_.emplace(name, firstSlot + static_cast<std::uint32_t>(slots_.size())).first->second;
  }

  Operand operand(const std::string& text, const std::string& operation) {
    Operand o;
    if (operation.rfind("bra", 0) == 0) {
      o.kind = Operand::Kind::Label;
      jumps_.emplace_back(k_.code.size(), text);
    } else if (text[0] == '[') {
      place(o, text.substr(1, text.size() - 2));
    } else if (text[0] == '%') {
      o.kind = Operand::Kind::Register;
      o.slot = slot(text);
    } else if (text == depot_) {
      o.kind = Operand::Kind::Local;
    } else if (text.rfind("0d", 0) == 0) {
      o.value = std::stoull(text.substr(2), nullptr, 16);
    } else {
      o.value = text[0] == '-' ? static_cast<std::uint64_t>(std::stoll(text)) : std::stoull(text, nullptr, 0);
    }
    return o;
  }

  void place(Operand& o, const std::string& text) {
    const std::size_t plus = text.find('+');
    const std::string base = text.substr(0, plus);
    if (plus != std::string::npos) o.value = static_cast<std::uint64_t>(std::stoll(text.substr(plus + 1)));
    if (base[0] == '%') {
      o.kind = Operand::Kind::Register;
      o.based = true;
      o.slot = slot(base);
    } else if (base == depot_) {
      o.kind = Operand::Kind::Local;
    } else if (base.rfind("param", 0) == 0) {
      o.value += std::stoull(base.substr(5));
    } else {
      const auto found = parameters_.find(base);
      if (found == parameters_.end()) throw PtxError("an unknown place: " + text);
      o.kind = Operand::Kind::Parameter;
      o.value += found->second;
    }
  }

  std::istringstream lines_;
  Kernel k_;
  std::string depot_;
  std::map<std::string, std::uint32_t> slots_;
  std::map<std::string, std::size_t> parameters_, labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
};

} // namespace

std::map<std::string, Kernel> readPtx(const std::string& text) {
  return Reader(text).run();
}

void carryOut(Thread& t) {
  const Kernel& kernel = *t.kernel;
  constexpr std::size_t line = 64;
  // What has not been set is anything.
  std::vector<unsigned char> memory(kernel.localBytes + line, static_cast<unsigned char>(0xa5));
  t.local = memory.data() + (line - reinterpret_cast<std::uintptr_t>(memory.data()) % line) % line;
  t.registers.resize(kernel.slots, 0xdeadbeefdeadbeefULL);
  t.next = 0;
  t.ended = false;
  while (!t.ended) {
    if (t.next >= kernel.code.size()) throw PtxError("a thread runs out of its kernel");
    const Instruction& i = kernel.code[t.next++];
    if (i.guard >= 0 && (t.registers[static_cast<std::size_t>(i.guard)] != 0) == i.negated) continue;
    i.action(t, i);
  }
}

void launch(const Kernel& kernel, unsigned blocks, unsigned threads, void* const* parameters, const Allowed& allowed) {
  if (!kernel.entry) throw PtxError("a function was launched");
  std::vector<unsigned char> given;
  if (!kernel.offsets.empty()) given.resize(kernel.offsets.back() + kernel.sizes.back());
  for (std::size_t p = 0; p < kernel.offsets.size(); ++p)
    std::memcpy(given.data() + kernel.offsets[p], parameters[p], kernel.sizes[p]);
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned thread = 0; thread < threads; ++thread) {
      Thread t;
      t.kernel = &kernel;
      t.allowed = &allowed;
      t.parameters = given;
      t.registers = {thread, threads, block};
      carryOut(t);
    }
}

} // namespace lmc::stub
