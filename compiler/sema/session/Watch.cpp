#include "sema/session/Watch.h"

namespace lmc::sema {

namespace {
constinit thread_local ExpressionWatch* watching = nullptr;
}

ExpressionWatch::ExpressionWatch() : before_(watching) {
  watching = this;
}
ExpressionWatch::~ExpressionWatch() {
  watching = before_;
}
ExpressionWatch* ExpressionWatch::current() {
  return watching;
}

} // namespace lmc::sema
