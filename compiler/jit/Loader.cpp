// A small loader for the objects that the code generator makes: all sections that occupy memory are placed next to each
// other (code, constants, data, then stubs for the few functions of the C library that the code generator may call
// without being asked), relocated, and protected.
#include "jit/Loader.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace lmc::jit {

#if !defined(__x86_64__) || !defined(__linux__)

bool elfSupported() {
  return false;
}

std::unique_ptr<Image> loadElf(const std::string&, const std::vector<std::string>&, const std::string&,
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

class Loader {
public:
  explicit Loader(const std::string& object) : object_(object) {}

  std::unique_ptr<Image> run(const std::vector<std::string>& symbols, const std::string& tableName,
                             const std::vector<void*>& table) {
    readHeader();
    layOut();
    Pages pages(end_);
    copySections(pages);
    for (std::size_t s = 0; s < sections_.size(); ++s)
      if (sections_[s].sh_type == SHT_RELA && sections_[s].sh_info < sections_.size() &&
          offsets_[sections_[s].sh_info] != none)
        relocate(pages, sections_[s]);
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
  static void require(bool condition) {
    if (!condition) throw std::runtime_error("malformed object file");
  }

  template <typename T> T read(std::size_t offset) const {
    require(offset <= object_.size() && sizeof(T) <= object_.size() - offset);
    T x;
    std::memcpy(&x, object_.data() + offset, sizeof x);
    return x;
  }

  std::string_view text(std::size_t table, std::size_t offset) const {
    require(table < sections_.size());
    const Elf64_Shdr& s = sections_[table];
    require(s.sh_offset <= object_.size() && s.sh_size <= object_.size() - s.sh_offset && offset < s.sh_size);
    const std::string_view all(object_.data() + s.sh_offset + offset, s.sh_size - offset);
    return all.substr(0, all.find('\0'));
  }

  void readHeader() {
    const auto header = read<Elf64_Ehdr>(0);
    require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64);
    require(header.e_type == ET_REL && header.e_machine == EM_X86_64 && header.e_shentsize == sizeof(Elf64_Shdr));
    for (std::size_t s = 0; s < header.e_shnum; ++s) {
      sections_.push_back(read<Elf64_Shdr>(header.e_shoff + s * sizeof(Elf64_Shdr)));
      if (sections_.back().sh_type == SHT_SYMTAB) symbolTable_ = s;
    }
    require(symbolTable_ != 0);
    const Elf64_Shdr& table = sections_[symbolTable_];
    require(table.sh_size <= object_.size());
    for (std::size_t k = 0; k < table.sh_size / sizeof(Elf64_Sym); ++k)
      symbols_.push_back(read<Elf64_Sym>(table.sh_offset + k * sizeof(Elf64_Sym)));
  }

  /// Code first, then on pages of their own the constants and data, which also hold the slots of the GOT.
  void layOut() {
    offsets_.assign(sections_.size(), none);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto align = [&](std::size_t to) { end_ = (end_ + to - 1) / to * to; };
    for (const bool code : {true, false}) {
      for (std::size_t s = 0; s < sections_.size(); ++s) {
        const Elf64_Shdr& section = sections_[s];
        if ((section.sh_flags & SHF_ALLOC) == 0 || ((section.sh_flags & SHF_EXECINSTR) != 0) != code) continue;
        require(section.sh_addralign <= page && section.sh_size <= (std::size_t{1} << 30U));
        align(section.sh_addralign == 0 ? 1 : section.sh_addralign);
        offsets_[s] = end_;
        end_ += section.sh_size;
      }
      if (code) {
        align(stubSize);
        stubs_.assign(symbols_.size(), none);
        for (std::size_t k = 1; k < symbols_.size(); ++k) {
          if (symbols_[k].st_shndx != SHN_UNDEF) continue;
          stubs_[k] = end_;
          end_ += stubSize;
        }
        align(page);
        codeEnd_ = end_;
      }
    }
    align(sizeof(void*));
    slots_ = end_;
    end_ += symbols_.size() * sizeof(void*);
    align(page);
  }

  void copySections(const Pages& pages) const {
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      const Elf64_Shdr& section = sections_[s];
      if (offsets_[s] == none || section.sh_type == SHT_NOBITS) continue;
      require(section.sh_offset <= object_.size() && section.sh_size <= object_.size() - section.sh_offset);
      std::memcpy(pages.at(offsets_[s]), object_.data() + section.sh_offset, section.sh_size);
    }
    for (std::size_t k = 1; k < symbols_.size(); ++k) {
      if (stubs_[k] == none) continue;
      const std::string_view name = text(sections_[symbolTable_].sh_link, symbols_[k].st_name);
      void* const target = libraryFunction(name);
      if (target == nullptr)
        throw std::runtime_error("generated code refers to the unknown symbol " + std::string(name));
      constexpr std::array<std::uint8_t, 8> jump = {0xFF, 0x25, 0x02, 0, 0, 0, 0x0F, 0x0B}; // jmp *2(%rip); ud2
      std::memcpy(pages.at(stubs_[k]), jump.data(), jump.size());
      std::memcpy(pages.at(stubs_[k] + jump.size()), &target, sizeof target);
    }
  }

  /// Offset of a symbol in memory.
  std::size_t place(std::size_t symbol) const {
    require(symbol < symbols_.size());
    if (stubs_[symbol] != none) return stubs_[symbol];
    const Elf64_Sym& s = symbols_[symbol];
    require(s.st_shndx < sections_.size() && offsets_[s.st_shndx] != none &&
            s.st_value <= sections_[s.st_shndx].sh_size);
    return offsets_[s.st_shndx] + s.st_value;
  }

  std::size_t find(const std::string& name) const {
    for (std::size_t k = 1; k < symbols_.size(); ++k)
      if (symbols_[k].st_shndx != SHN_UNDEF && text(sections_[symbolTable_].sh_link, symbols_[k].st_name) == name)
        return place(k);
    return none;
  }

  void relocate(const Pages& pages, const Elf64_Shdr& list) const {
    const Elf64_Shdr& target = sections_[list.sh_info];
    for (std::size_t k = 0; k < list.sh_size / sizeof(Elf64_Rela); ++k) {
      const auto r = read<Elf64_Rela>(list.sh_offset + k * sizeof(Elf64_Rela));
      const std::uint32_t type = ELF64_R_TYPE(r.r_info);
      const std::size_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
      require(r.r_offset <= target.sh_size && width <= target.sh_size - r.r_offset);
      const std::size_t where = offsets_[list.sh_info] + r.r_offset;
      apply(pages, type, ELF64_R_SYM(r.r_info), where, r.r_addend);
    }
  }

  void apply(const Pages& pages, std::uint32_t type, std::size_t symbol, std::size_t where, std::int64_t addend) const {
    const auto distance = [&](std::size_t to) { // modulo 2^64
      return static_cast<std::int64_t>(to - where + static_cast<std::uint64_t>(addend));
    };
    const auto put = [&](auto value) { std::memcpy(pages.at(where), &value, sizeof value); };
    const std::size_t to = place(symbol);
    switch (type) {
    case R_X86_64_64:
      put(reinterpret_cast<std::uint64_t>(pages.at(to)) + static_cast<std::uint64_t>(addend));
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
      const std::size_t slot = slots_ + symbol * sizeof(void*);
      const void* const address = pages.at(to);
      std::memcpy(pages.at(slot), &address, sizeof address);
      put(static_cast<std::int32_t>(distance(slot)));
      break;
    }
    default:
      throw std::runtime_error("object file with relocations of the unknown type " + std::to_string(type));
    }
  }

  const std::string& object_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::vector<std::size_t> offsets_; ///< by section, in memory
  std::vector<std::size_t> stubs_;   ///< by symbol, for undefined ones
  std::size_t symbolTable_ = 0;
  std::size_t slots_ = 0; ///< the GOT: one pointer per symbol
  std::size_t codeEnd_ = 0;
  std::size_t end_ = 0;
};

} // namespace

std::unique_ptr<Image> loadElf(const std::string& object, const std::vector<std::string>& symbols,
                               const std::string& tableName, const std::vector<void*>& table) {
  return Loader(object).run(symbols, tableName, table);
}

#endif

} // namespace lmc::jit
