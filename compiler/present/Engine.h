// The means to bring expressions of a system into the form in which they are shown.
#pragma once

#include "mechanics/system/Layer.h"
#include "present/Present.h"
#include "present/Reader.h"
#include "present/terms/Fold.h"
#include "present/writers/Document.h"

namespace lmc::present {

/// Families of more members are not written out.
inline constexpr std::int64_t mostWrittenOut = 64;

/// How far expressions are multiplied out, and what keeps its name.
enum class Depth : std::uint8_t {
  Expanded, ///< products of sums are multiplied out, definitions are put in: what cancels is gone
  Plain,    ///< definitions are put in
  Named,    ///< what equations define keeps its name
};

/// One algebra, with what is known of the system's arrays.
class Engine {
public:
  Engine(mechanics::Layer& layer, const Presentation& how, Depth depth, Curves* curves, DataNames& names,
         ArrayNames& arrays);
  [[nodiscard]] Poly read(sym::Expr e, const std::vector<sym::Expr>& index);
  [[nodiscard]] TreePtr show(const Poly& p) { return fold_(p); }
  [[nodiscard]] Terms& terms() { return *terms_; }
  [[nodiscard]] Reader& reader() { return *reader_; }
  /// The index of members, "i".
  [[nodiscard]] Atom member() const { return member_; }
  /// Indices before it, of families with several: the next one first.
  [[nodiscard]] Atom outer(std::size_t k);
  [[nodiscard]] TreePtr integer(std::int64_t n) const;

private:
  void learn(const sema::Manifold& manifold, const sema::ArrayTuple& point,
             const std::vector<sema::ArrayTuple>& horizontal, const std::vector<sym::Expr>& index);
  void learnProjection(const sema::Manifold& manifold, const sym::Array* point, const sema::ArrayTuple& w,
                       const sema::ArrayTuple& v, const std::vector<sym::Expr>& index);
  void learnSymmetry();
  void learnPlanes(const sema::Manifold& manifold);
  void equation(sym::Expr left, sym::Expr right);

  mechanics::Layer& layer_;
  const Presentation& how_;
  std::unique_ptr<Terms> terms_;
  std::unique_ptr<Reader> reader_;
  Fold fold_;
  Atom member_ = nullptr;
  std::vector<Atom> outer_;
  std::size_t reserved_ = 0; ///< of them, that no sum is over
};

/// Shows expressions, of a family for all members (`member` 0) or for one, as the shortest of several forms says them,
/// and remembers what has to be explained.
class Shower {
public:
  Shower(mechanics::Layer& layer, const Presentation& how);
  [[nodiscard]] TreePtr operator()(sym::Expr e, const std::vector<sym::Expr>& index = {}, std::int64_t member = 0);
  /// Definitions of what was shown by name, in an order in which a person can read them.
  [[nodiscard]] std::vector<Line> definitions();
  [[nodiscard]] bool expands() const { return how_.expand; }
  /// What was shown by an engine of its own is to be explained too.
  void explain(const Poly& p, Depth depth);
  [[nodiscard]] TreePtr integer(std::int64_t n) { return engine(Depth::Plain).integer(n); }
  [[nodiscard]] Engine& engine(Depth depth);
  [[nodiscard]] const Curves& curves() const { return curves_; }
  [[nodiscard]] const DataNames& names() const { return names_; }
  /// What names of data mean that lines mention.
  [[nodiscard]] std::vector<Line> dataIn(const std::vector<const std::vector<Line>*>& lines);

private:
  /// Rows of tables cannot be hidden in what is shown: it is shown with the search for them.
  bool withoutCurves();
  std::vector<Line> definition(const sym::Array* array);

  mechanics::Layer& layer_;
  const Presentation& how_;
  Curves curves_;
  DataNames names_;
  ArrayNames arrayNames_;
  bool namesTables_ = true; ///< curves through tables are shown by their names
  std::map<Depth, std::unique_ptr<Engine>> engines_;
  std::map<std::uint32_t, std::pair<const sym::Array*, Depth>> named_;
};

} // namespace lmc::present
