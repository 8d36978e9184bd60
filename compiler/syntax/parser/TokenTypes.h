// Part of Parser.cpp: what the types of tokens are.
#pragma once

#include "syntax/parser/Lexemes.h"

namespace lmc::syntax {

inline bool startsDeclaration(std::size_t type) {
  switch (type) {
  case LieParser::MODEL:
  case LieParser::GROUP:
  case LieParser::MANIFOLD:
  case LieParser::METHOD:
  case LieParser::TABLEAU:
  case LieParser::VARIATIONAL:
  case LieParser::JOINT:
  case LieParser::IMPORT:
  case LieParser::FN:
    return true;
  default:
    return false;
  }
}

inline bool startsStatement(std::size_t type) {
  switch (type) {
  case LieParser::LET:
  case LieParser::FN:
  case LieParser::PARAM:
  case LieParser::CONFIG:
  case LieParser::STATE:
  case LieParser::LAGRANGIAN:
  case LieParser::HAMILTONIAN:
  case LieParser::CONSTRAINT:
  case LieParser::CONTACT:
  case LieParser::INSTANCE:
  case LieParser::FORCE:
  case LieParser::DISSIPATION:
  case LieParser::INPUT:
  case LieParser::FLOW:
  case LieParser::FOR:
  case LieParser::INITIAL:
  case LieParser::OBSERVE:
  case LieParser::EVENT:
  case LieParser::EVERY:
  case LieParser::STORED:
  case LieParser::RESET:
  case LieParser::SIMULATE:
  case LieParser::VIEW:
  case LieParser::VIEW_VALUE:
  case LieParser::ELEMENT:
  case LieParser::ALGEBRA:
  case LieParser::POINT:
  case LieParser::ACTING:
  case LieParser::HOLDS:
  case LieParser::SOLVE:
  case LieParser::KEEP:
  case LieParser::NEXT:
  case LieParser::EMBEDDED:
  case LieParser::DISCRETE:
  case LieParser::ORDER:
    return true;
  default:
    return false;
  }
}

inline bool isReserved(std::size_t type) {
  return type >= LieParser::MODEL && type <= LieParser::NOT;
}

inline bool isCloser(std::size_t type) {
  return type == LieParser::RPAREN || type == LieParser::RBRACKET;
}

/// What stands in the block of a contact.
inline bool isContactSetting(std::string_view word) {
  return word == "restitution" || word == "friction" || word == "slip" || word == "rest";
}

} // namespace lmc::syntax
