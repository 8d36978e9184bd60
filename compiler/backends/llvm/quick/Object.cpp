#include "backends/llvm/quick/Object.h"

#include <llvm/BinaryFormat/ELF.h>

#include <array>
#include <cstring>

namespace lmc::backends::quick {

namespace elf = llvm::ELF;

namespace {

template <typename T> void append(std::string& to, const T& record) {
  to.append(reinterpret_cast<const char*>(&record), sizeof record);
}

enum Section : std::uint16_t { none, text, bss, relocations, symbolTable, names, sectionNames, count };

} // namespace

std::string elfObject(const Assembler& code, const std::vector<Symbol>& symbols, std::size_t room) {
  std::string strings(1, '\0'), table, list;
  append(table, elf::Elf64_Sym{});
  for (const Symbol& s : symbols) {
    elf::Elf64_Sym entry{};
    entry.st_name = static_cast<elf::Elf64_Word>(strings.size());
    entry.setBindingAndType(elf::STB_GLOBAL, elf::STT_NOTYPE);
    entry.st_other = elf::STV_HIDDEN;
    entry.st_value = s.offset;
    entry.st_shndx = s.place == Symbol::Place::Code ? text : s.place == Symbol::Place::Room ? bss : none;
    strings += s.name + '\0';
    append(table, entry);
  }
  for (const Relocation& r : code.relocations) {
    elf::Elf64_Rela entry{};
    entry.r_offset = r.place;
    entry.setSymbolAndType(static_cast<elf::Elf64_Word>(r.symbol + 1), elf::R_X86_64_PC32);
    entry.r_addend = r.addend;
    append(list, entry);
  }
  constexpr std::array sectionName = {"", ".text", ".bss", ".rela.text", ".symtab", ".strtab", ".shstrtab"};
  std::string headerNames;
  std::array<elf::Elf64_Shdr, count> sections{};
  for (std::size_t k = 0; k < count; ++k) {
    sections[k].sh_name = static_cast<elf::Elf64_Word>(headerNames.size());
    headerNames += std::string(sectionName[k]) + '\0';
  }
  std::string body;
  constexpr std::size_t begin = sizeof(elf::Elf64_Ehdr);
  const auto add = [&](Section s, std::uint32_t type, std::uint64_t flags, const std::string& bytes,
                       std::uint64_t align, std::uint64_t entry) {
    while ((begin + body.size()) % align != 0) body += '\0';
    sections[s].sh_type = type;
    sections[s].sh_flags = flags;
    sections[s].sh_offset = begin + body.size();
    sections[s].sh_size = bytes.size();
    sections[s].sh_addralign = align;
    sections[s].sh_entsize = entry;
    body += bytes;
  };
  constexpr std::uint64_t begins = 64, word = 8; // functions begin with lines of memory
  add(text, elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_EXECINSTR,
      std::string(reinterpret_cast<const char*>(code.code.data()), code.code.size()), begins, 0);
  add(bss, elf::SHT_NOBITS, elf::SHF_ALLOC | elf::SHF_WRITE, {}, word, 0);
  sections[bss].sh_size = room;
  add(relocations, elf::SHT_RELA, 0, list, word, sizeof(elf::Elf64_Rela));
  sections[relocations].sh_link = symbolTable;
  sections[relocations].sh_info = text;
  add(symbolTable, elf::SHT_SYMTAB, 0, table, word, sizeof(elf::Elf64_Sym));
  sections[symbolTable].sh_link = names;
  sections[symbolTable].sh_info = 1; // the first one that is not local
  add(names, elf::SHT_STRTAB, 0, strings, 1, 0);
  add(sectionNames, elf::SHT_STRTAB, 0, headerNames, 1, 0);
  while ((begin + body.size()) % word != 0) body += '\0';
  elf::Elf64_Ehdr header{};
  std::memcpy(header.e_ident, elf::ElfMagic, std::strlen(elf::ElfMagic));
  header.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
  header.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
  header.e_ident[elf::EI_VERSION] = elf::EV_CURRENT;
  header.e_type = elf::ET_REL;
  header.e_machine = elf::EM_X86_64;
  header.e_version = elf::EV_CURRENT;
  header.e_shoff = begin + body.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(elf::Elf64_Shdr);
  header.e_shnum = count;
  header.e_shstrndx = sectionNames;
  std::string object;
  append(object, header);
  object += body;
  for (const elf::Elf64_Shdr& s : sections) append(object, s);
  return object;
}

} // namespace lmc::backends::quick
