// A small loader for the objects that the code generator makes: all sections that occupy memory are placed next to each
// other (code, constants, data, then stubs for the few functions of the C library that the code generator may call
// without being asked), relocated, and protected.
#include "jit/Loader.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <elf.h>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

namespace lmc::jit {

#if !defined(__x86_64__) || !defined(__linux__)

bool elfSupported() {
  return false;
}

std::unique_ptr<Image> loadElf(const std::vector<std::string>&, const std::vector<std::string>&, const std::string&,
                               const std::vector<void*>&) {
  throw std::runtime_error("this host has no loader of its own");
}

#else

bool elfSupported() {
  return true;
}

namespace {

/// Functions that LLVM calls by name when the processor lacks an instruction, or for large copies.
void* libraryFunction(std::string_view name) {
  using Unary = double (*)(double);
  using Ternary = double (*)(double, double, double);
  struct Known {
    std::string_view name;
    void* address;
  };
  const std::array<Known, 5> known = {{
      {"memcpy", reinterpret_cast<void*>(&::memcpy)},
      {"memset", reinterpret_cast<void*>(&::memset)},
      {"memmove", reinterpret_cast<void*>(&::memmove)},
      {"floor", reinterpret_cast<void*>(static_cast<Unary>(&::floor))},
      {"fma", reinterpret_cast<void*>(static_cast<Ternary>(&::fma))},
  }};
  for (const Known& k : known)
    if (k.name == name) return k.address;
  return nullptr;
}

/// Pages obtained from the system.
class Pages {
public:
  explicit Pages(std::size_t size)
      : size_(size), start_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (start_ == MAP_FAILED) throw std::runtime_error("no memory for generated code");
  }
  ~Pages() {
    if (start_ != nullptr) ::munmap(start_, size_);
  }
  Pages(Pages&& other) noexcept : size_(other.size_), start_(std::exchange(other.start_, nullptr)) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  Pages& operator=(Pages&&) = delete;

  [[nodiscard]] std::uint8_t* at(std::size_t offset) const { return static_cast<std::uint8_t*>(start_) + offset; }
  void protect(std::size_t from, std::size_t to, int protection) const {
    if (to > from && ::mprotect(at(from), to - from, protection) != 0)
      throw std::runtime_error("the system does not allow generated code to be executed");
  }

private:
  std::size_t size_;
  void* start_;
};

class ElfImage final : public Image {
public:
  ElfImage(Pages pages, std::vector<void*> addresses) : pages_(std::move(pages)), addresses_(std::move(addresses)) {}
  [[nodiscard]] void* address(std::size_t symbol) const override { return addresses_[symbol]; }

private:
  Pages pages_;
  std::vector<void*> addresses_;
};

constexpr std::size_t stubSize = 16; ///< jmp *8(%rip); address
constexpr std::size_t none = ~std::size_t{0};

void require(bool condition) {
  if (!condition) throw std::runtime_error("malformed object file");
}

/// The tables of one object, and where in memory the loader puts what they tell of.
class ObjectFile {
public:
  explicit ObjectFile(const std::string& bytes) : bytes_(bytes) {
    const auto header = read<Elf64_Ehdr>(0);
    require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64);
    require(header.e_type == ET_REL && header.e_machine == EM_X86_64 && header.e_shentsize == sizeof(Elf64_Shdr));
    std::size_t symbolTable = 0;
    for (std::size_t s = 0; s < header.e_shnum; ++s) {
      sections.push_back(read<Elf64_Shdr>(header.e_shoff + s * sizeof(Elf64_Shdr)));
      if (sections.back().sh_type == SHT_SYMTAB) symbolTable = s;
    }
    require(symbolTable != 0);
    const Elf64_Shdr& table = sections[symbolTable];
    require(table.sh_size <= bytes_.size());
    for (std::size_t k = 0; k < table.sh_size / sizeof(Elf64_Sym); ++k)
      symbols.push_back(read<Elf64_Sym>(table.sh_offset + k * sizeof(Elf64_Sym)));
    names_ = table.sh_link;
    offsets.assign(sections.size(), none);
    stubs.assign(symbols.size(), none);
  }

  template <typename T> T read(std::size_t offset) const {
    require(offset <= bytes_.size() && sizeof(T) <= bytes_.size() - offset);
    T x;
    std::memcpy(&x, bytes_.data() + offset, sizeof x);
    return x;
  }

  [[nodiscard]] const char* contents(const Elf64_Shdr& s) const {
    require(s.sh_offset <= bytes_.size() && s.sh_size <= bytes_.size() - s.sh_offset);
    return bytes_.data() + s.sh_offset;
  }

  [[nodiscard]] std::string_view nameOf(std::size_t symbol) const {
    require(names_ < sections.size());
    const std::string_view all(contents(sections[names_]), sections[names_].sh_size);
    require(symbols[symbol].st_name < all.size());
    const std::string_view name = all.substr(symbols[symbol].st_name);
    return name.substr(0, name.find('\0'));
  }

  /// Offset in memory of a symbol that this object defines.
  [[nodiscard]] std::size_t place(std::size_t symbol) const {
    const Elf64_Sym& s = symbols[symbol];
    require(s.st_shndx < sections.size() && offsets[s.st_shndx] != none && s.st_value <= sections[s.st_shndx].sh_size);
    return offsets[s.st_shndx] + s.st_value;
  }

  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;
  std::vector<std::size_t> offsets; ///< by section, in memory
  std::vector<std::size_t> stubs;   ///< by symbol, for those that no object defines
  std::size_t slots = 0;            ///< the GOT: one pointer per symbol

private:
  const std::string& bytes_;
  std::size_t names_ = 0; ///< the section with the names of symbols
};

class Loader {
public:
  explicit Loader(const std::vector<std::string>& objects) {
    for (const std::string& o : objects) objects_.emplace_back(o);
  }

  std::unique_ptr<Image> run(const std::vector<std::string>& symbols, const std::string& tableName,
                             const std::vector<void*>& table) {
    findDefinitions();
    layOut();
    Pages pages(end_);
    for (const ObjectFile& o : objects_) copySections(pages, o);
    for (const ObjectFile& o : objects_)
      for (const Elf64_Shdr& s : o.sections)
        if (s.sh_type == SHT_RELA && s.sh_info < o.sections.size() && o.offsets[s.sh_info] != none)
          relocate(pages, o, s);
    if (const std::size_t where = find(tableName); where != none) {
      require(where <= end_ && table.size() * sizeof(void*) <= end_ - where);
      std::memcpy(pages.at(where), table.data(), table.size() * sizeof(void*));
    }
    pages.protect(0, codeEnd_, PROT_READ | PROT_EXEC);
    pages.protect(codeEnd_, end_, PROT_READ); // nothing is written after loading
    std::vector<void*> addresses;
    for (const std::string& name : symbols) {
      const std::size_t where = find(name);
      addresses.push_back(where == none ? nullptr : pages.at(where));
    }
    return std::make_unique<ElfImage>(std::move(pages), std::move(addresses));
  }

private:
  struct Definition {
    const ObjectFile* object;
    std::size_t symbol;
  };

  /// What the objects give each other, and the caller.
  void findDefinitions() {
    for (const ObjectFile& o : objects_)
      for (std::size_t k = 1; k < o.symbols.size(); ++k)
        if (o.symbols[k].st_shndx != SHN_UNDEF && ELF64_ST_BIND(o.symbols[k].st_info) != STB_LOCAL)
          require(definitions_.emplace(o.nameOf(k), Definition{&o, k}).second);
  }

  /// Code first, then on pages of their own the constants and data, which also hold the slots of the GOT.
  void layOut() {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto align = [&](std::size_t to) { end_ = (end_ + to - 1) / to * to; };
    for (const bool code : {true, false}) {
      for (ObjectFile& o : objects_)
        for (std::size_t s = 0; s < o.sections.size(); ++s) {
          const Elf64_Shdr& section = o.sections[s];
          if ((section.sh_flags & SHF_ALLOC) == 0 || ((section.sh_flags & SHF_EXECINSTR) != 0) != code) continue;
          require(section.sh_addralign <= page && section.sh_size <= (std::size_t{1} << 30U));
          align(section.sh_addralign == 0 ? 1 : section.sh_addralign);
          o.offsets[s] = end_;
          end_ += section.sh_size;
        }
      if (code) {
        align(stubSize);
        for (ObjectFile& o : objects_)
          for (std::size_t k = 1; k < o.symbols.size(); ++k) {
            if (o.symbols[k].st_shndx != SHN_UNDEF || definitions_.contains(o.nameOf(k))) continue;
            o.stubs[k] = end_;
            end_ += stubSize;
          }
        align(page);
        codeEnd_ = end_;
      }
    }
    align(sizeof(void*));
    for (ObjectFile& o : objects_) {
      o.slots = end_;
      end_ += o.symbols.size() * sizeof(void*);
    }
    align(page);
  }

  static void copySections(const Pages& pages, const ObjectFile& o) {
    for (std::size_t s = 0; s < o.sections.size(); ++s) {
      const Elf64_Shdr& section = o.sections[s];
      if (o.offsets[s] == none || section.sh_type == SHT_NOBITS) continue;
      std::memcpy(pages.at(o.offsets[s]), o.contents(section), section.sh_size);
    }
    for (std::size_t k = 1; k < o.symbols.size(); ++k) {
      if (o.stubs[k] == none) continue;
      const std::string_view name = o.nameOf(k);
      void* const target = libraryFunction(name);
      if (target == nullptr)
        throw std::runtime_error("generated code refers to the unknown symbol " + std::string(name));
      constexpr std::array<std::uint8_t, 8> jump = {0xFF, 0x25, 0x02, 0, 0, 0, 0x0F, 0x0B}; // jmp *2(%rip); ud2
      std::memcpy(pages.at(o.stubs[k]), jump.data(), jump.size());
      std::memcpy(pages.at(o.stubs[k] + jump.size()), &target, sizeof target);
    }
  }

  /// Offset of a symbol in memory, wherever it is defined.
  [[nodiscard]] std::size_t place(const ObjectFile& o, std::size_t symbol) const {
    require(symbol < o.symbols.size());
    if (o.stubs[symbol] != none) return o.stubs[symbol];
    return o.symbols[symbol].st_shndx == SHN_UNDEF ? find(o.nameOf(symbol)) : o.place(symbol);
  }

  [[nodiscard]] std::size_t find(std::string_view name) const {
    const auto found = definitions_.find(name);
    return found == definitions_.end() ? none : found->second.object->place(found->second.symbol);
  }

  void relocate(const Pages& pages, const ObjectFile& o, const Elf64_Shdr& list) const {
    const Elf64_Shdr& target = o.sections[list.sh_info];
    for (std::size_t k = 0; k < list.sh_size / sizeof(Elf64_Rela); ++k) {
      const auto r = o.read<Elf64_Rela>(list.sh_offset + k * sizeof(Elf64_Rela));
      const std::uint32_t type = ELF64_R_TYPE(r.r_info);
      const std::size_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
      require(r.r_offset <= target.sh_size && width <= target.sh_size - r.r_offset);
      apply(pages, o, r, o.offsets[list.sh_info] + r.r_offset);
    }
  }

  void apply(const Pages& pages, const ObjectFile& o, const Elf64_Rela& r, std::size_t where) const {
    const std::size_t symbol = ELF64_R_SYM(r.r_info);
    const std::size_t to = place(o, symbol);
    require(to != none);
    const auto distance = [&](std::size_t target) { // modulo 2^64
      return static_cast<std::int64_t>(target - where + static_cast<std::uint64_t>(r.r_addend));
    };
    const auto put = [&](auto value) { std::memcpy(pages.at(where), &value, sizeof value); };
    switch (const std::uint32_t type = ELF64_R_TYPE(r.r_info); type) {
    case R_X86_64_64:
      put(reinterpret_cast<std::uint64_t>(pages.at(to)) + static_cast<std::uint64_t>(r.r_addend));
      break;
    case R_X86_64_PC64:
      put(distance(to));
      break;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      put(static_cast<std::int32_t>(distance(to)));
      break; // all within 2 GiB
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: {
      const std::size_t slot = o.slots + symbol * sizeof(void*);
      const void* const address = pages.at(to);
      std::memcpy(pages.at(slot), &address, sizeof address);
      put(static_cast<std::int32_t>(distance(slot)));
      break;
    }
    default:
      throw std::runtime_error("object file with relocations of the unknown type " + std::to_string(type));
    }
  }

  std::deque<ObjectFile> objects_;
  std::unordered_map<std::string_view, Definition> definitions_; ///< of symbols that are not local
  std::size_t codeEnd_ = 0;
  std::size_t end_ = 0;
};

} // namespace

std::unique_ptr<Image> loadElf(const std::vector<std::string>& objects, const std::vector<std::string>& symbols,
                               const std::string& tableName, const std::vector<void*>& table) {
  return Loader(objects).run(symbols, tableName, table);
}

#endif

} // namespace lmc::jit
