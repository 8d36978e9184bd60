#include "fuzz/Mutation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace lmc::fuzz {

namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool isWordByte(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || c == '_' || u >= 0x80;
}

std::size_t below(std::mt19937_64& random, std::size_t n) {
  return n == 0 ? 0 : static_cast<std::size_t>(random() % n);
}

template <class List> const auto& oneOf(const List& list, std::mt19937_64& random) {
  return list[below(random, list.size())];
}

/// Numbers at which programs break.
constexpr std::array<const char*, 30> numbers = {"0",
                                                 "1",
                                                 "2",
                                                 "-1",
                                                 "3",
                                                 "7",
                                                 "20",
                                                 "33",
                                                 "64",
                                                 "100",
                                                 "300",
                                                 "1000",
                                                 "65536",
                                                 "1000000",
                                                 "1e-300",
                                                 "1e300",
                                                 "1e-16",
                                                 "0.5",
                                                 "1e12",
                                                 "2147483647",
                                                 "2147483648",
                                                 "4294967297",
                                                 "1000000000000",
                                                 "9007199254740993",
                                                 "1/0",
                                                 "0/0",
                                                 "(1 - 1)",
                                                 "1e-8",
                                                 "pi",
                                                 "-0.0"};

/// Signs and words that change what a text means.
constexpr std::array<const char*, 64> words = {"+",
                                               "-",
                                               "*",
                                               "/",
                                               "^",
                                               "'",
                                               "[",
                                               "]",
                                               "(",
                                               ")",
                                               "{",
                                               "}",
                                               ";",
                                               ",",
                                               "=",
                                               "==",
                                               "<",
                                               ">",
                                               "..",
                                               ".",
                                               "in",
                                               "where",
                                               "if",
                                               "then",
                                               "else",
                                               "and",
                                               "or",
                                               "not",
                                               "sum(i in 1..3: i)",
                                               "velocity",
                                               "momentum",
                                               "body",
                                               "space",
                                               "config",
                                               "state",
                                               "param",
                                               "let",
                                               "fn",
                                               "force",
                                               "flow",
                                               "initial",
                                               "observe",
                                               "event",
                                               "group",
                                               "manifold",
                                               "method",
                                               "tableau",
                                               "variational",
                                               "product(i in 1..3: 2)",
                                               "dot",
                                               "cross",
                                               "norm",
                                               "exp",
                                               "stumpff(3, 0.1)",
                                               "normal(0, 1)",
                                               "random(SO(3))",
                                               "inverse",
                                               "transpose",
                                               "momentum(q)",
                                               "velocity(q)",
                                               "energy",
                                               "t",
                                               "SO(4)",
                                               "S^3"};

} // namespace

std::vector<Piece> piecesOf(std::string_view text) {
  std::vector<Piece> list;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const char c = text[i];
    Piece::Kind kind = Piece::Kind::Sign;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      kind = Piece::Kind::Number;
      while (i < text.size() && (isWordByte(text[i]) || (text[i] == '.' && text.substr(i, 2) != ".."))) ++i;
    } else if (isWordByte(c)) {
      kind = Piece::Kind::Word;
      while (i < text.size() && isWordByte(text[i])) ++i;
    } else if (c == '"') {
      kind = Piece::Kind::String;
      ++i;
      while (i < text.size() && text[i] != '"' && text[i] != '\n') ++i;
      if (i < text.size()) ++i;
    } else {
      ++i;
    }
    list.push_back({begin, i, kind});
  }
  return list;
}

Corpus::Corpus(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders) {
    if (fs::is_regular_file(folder)) {
      files.emplace_back(folder);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".lie") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& f : files) texts_.emplace_back(f.string(), contents(f));
  collect();
}

Corpus::Corpus(std::vector<std::pair<std::string, std::string>> texts) : texts_(std::move(texts)) {
  collect();
}

void Corpus::collect() {
  std::set<std::string> seen;
  std::set<std::string> lines;
  for (const auto& [path, text] : texts_) {
    const auto pieces = piecesOf(text);
    std::size_t begin = 0;
    for (const Piece& p : pieces) {
      const std::string piece = text.substr(p.begin, p.end - p.begin);
      if (p.kind != Piece::Kind::Sign) seen.insert(piece);
      if (piece == "{" || piece == "}") begin = p.end;
      if (piece != ";") continue;
      constexpr std::size_t longest = 300;
      if (p.end - begin < longest) lines.insert(text.substr(begin, p.end - begin));
      begin = p.end;
    }
  }
  words_.assign(seen.begin(), seen.end());
  statements_.assign(lines.begin(), lines.end());
}

std::string Corpus::statement(Random& random) const {
  return statements_.empty() ? ";" : oneOf(statements_, random);
}

void Corpus::change(std::string& text, Random& random) const {
  const auto pieces = piecesOf(text);
  if (pieces.empty()) return;
  const std::size_t k = below(random, pieces.size());
  const Piece& p = pieces[k];
  const auto put = [&](const std::string& with) { text.replace(p.begin, p.end - p.begin, with); };
  const auto pieceOf = [&](std::size_t j) { return text.substr(pieces[j].begin, pieces[j].end - pieces[j].begin); };
  // The statement in which the piece stands.
  std::size_t first = k;
  std::size_t last = k;
  const auto ends = [&](std::size_t j) { return pieceOf(j) == ";" || pieceOf(j) == "{" || pieceOf(j) == "}"; };
  while (first > 0 && !ends(first - 1)) --first;
  while (last + 1 < pieces.size() && !ends(last)) ++last;
  const std::size_t begin = pieces[first].begin;
  const std::string own = text.substr(begin, pieces[last].end - begin);
  switch (random() % 16) {
  case 0:
    return put("");
  case 1:
    return put(pieceOf(k) + " " + pieceOf(k));
  case 2: // another piece of this text
  case 3:
    return put(pieceOf(below(random, pieces.size())));
  case 4:
    return put(words_.empty() ? "" : oneOf(words_, random));
  case 5:
    return put(oneOf(words, random));
  case 6: // a number
  case 7:
  case 8: {
    std::vector<std::size_t> all;
    for (std::size_t j = 0; j < pieces.size(); ++j)
      if (pieces[j].kind == Piece::Kind::Number) all.push_back(j);
    if (all.empty()) return;
    const Piece& n = pieces[oneOf(all, random)];
    text.replace(n.begin, n.end - n.begin, oneOf(numbers, random));
    return;
  }
  case 9:
    text.erase(begin, own.size());
    return;
  case 10:
    text.insert(begin, own + "\n");
    return;
  case 11:
  case 12:
    text.insert(begin, statement(random) + "\n");
    return;
  case 13: // an expression in another one
    return put("(" + pieceOf(k) + ")" + oneOf(words, random) + "(" + pieceOf(below(random, pieces.size())) + ")");
  case 14: { // a name becomes another one everywhere
    if (p.kind != Piece::Kind::Word) return;
    const std::string from = pieceOf(k);
    const std::string to = pieceOf(below(random, pieces.size()));
    for (auto it = pieces.rbegin(); it != pieces.rend(); ++it)
      if (text.compare(it->begin, it->end - it->begin, from) == 0) text.replace(it->begin, it->end - it->begin, to);
    return;
  }
  default:
    text[below(random, text.size())] = static_cast<char>(random() % 256);
  }
}

Corpus::Case Corpus::make(std::uint64_t number) const {
  Random random(number * 0x9E3779B97F4A7C15ULL + 1);
  Case result;
  result.from = below(random, texts_.size());
  result.text = texts_[result.from].second;
  const std::size_t changes = 1 + below(random, below(random, 4) + 1);
  for (std::size_t k = 0; k < changes; ++k) change(result.text, random);
  return result;
}

} // namespace lmc::fuzz
