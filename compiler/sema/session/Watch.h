// Being told of the values of expressions: for editors, which show what stands where.
#pragma once

#include "sema/values/Value.h"

namespace lmc::sema {

/// While it lives, it is told of every expression that its thread evaluates, after each evaluation. The latest one of a
/// thread is told, alone.
class ExpressionWatch {
public:
  ExpressionWatch();
  virtual ~ExpressionWatch();
  ExpressionWatch(const ExpressionWatch&) = delete;
  ExpressionWatch& operator=(const ExpressionWatch&) = delete;
  virtual void saw(const syntax::Expr& e, const Value& value) = 0;

  /// That of the thread; null without one.
  [[nodiscard]] static ExpressionWatch* current();

private:
  ExpressionWatch* before_;
};

} // namespace lmc::sema
