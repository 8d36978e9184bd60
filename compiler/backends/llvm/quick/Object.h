// An ELF64 object for the loader of compiler/jit: code with its constants, room for a table, symbols, relocations.
#pragma once

#include "backends/llvm/quick/Assembler.h"

#include <cstddef>
#include <string>
#include <vector>

namespace lmc::backends::quick {

struct Symbol {
  enum class Place : std::uint8_t { Elsewhere, Code, Room } place = Place::Elsewhere;
  std::string name;
  std::size_t offset = 0; ///< in the code
};

/// `room`: bytes, zero at first. Relocations name symbols by their positions in the list.
[[nodiscard]] std::string elfObject(const Assembler& code, const std::vector<Symbol>& symbols, std::size_t room);

} // namespace lmc::backends::quick
