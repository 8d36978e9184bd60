// Wrong and strange texts, made of right ones.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::fuzz {

/// Texts from which others are made, and the pieces that they consist of.
class Corpus {
public:
  /// All `.lie` files below the folders, in the order of their paths.
  explicit Corpus(const std::vector<std::string>& folders);
  explicit Corpus(std::vector<std::pair<std::string, std::string>> texts);

  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] const std::string& path(std::size_t k) const { return texts_[k].first; }

  /// A text with one to four changes; the same for the same number.
  struct Case {
    std::string text;
    std::size_t from = 0; ///< the text that was changed
  };
  [[nodiscard]] Case make(std::uint64_t number) const;

private:
  using Random = std::mt19937_64;
  void collect();
  void change(std::string& text, Random& random) const;
  [[nodiscard]] std::string statement(Random& random) const;

  std::vector<std::pair<std::string, std::string>> texts_; ///< path, content
  std::vector<std::string> words_;
  std::vector<std::string> statements_;
};

/// The places of names, numbers, strings and signs in a text; blanks and comments lie between them.
struct Piece {
  std::size_t begin = 0, end = 0;
  enum class Kind : std::uint8_t { Word, Number, String, Sign } kind = Kind::Sign;
};
[[nodiscard]] std::vector<Piece> piecesOf(std::string_view text);

} // namespace lmc::fuzz
