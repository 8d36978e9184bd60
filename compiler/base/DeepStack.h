// A stack for expressions of any depth.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace lmc {

/// Calls `function(data)` on a thread of its own with a stack of 512 MiB, of which memory is taken as it is used, and
/// waits. Trees of expressions are as deep as sums are long, and are walked by recursion; a thread of a host program
/// may have little stack. Called from such a thread it is a plain call; so it is where no thread can be made.
void callOnDeepStack(void (*function)(void*), void* data);

/// The same for any function object; hands on what it returns or throws.
template <class Function> auto onDeepStack(Function&& function) -> std::invoke_result_t<Function&> {
  using Result = std::invoke_result_t<Function&>;
  constexpr bool returns = !std::is_void_v<Result>;
  struct Call {
    Function& function;
    std::exception_ptr error;
    std::optional<std::conditional_t<returns, Result, bool>> result;
  } call{function, nullptr, std::nullopt};
  callOnDeepStack(
      [](void* data) {
        Call& c = *static_cast<Call*>(data);
        try {
          if constexpr (returns)
            c.result.emplace(c.function());
          else
            c.function();
        } catch (...) {
          c.error = std::current_exception();
        }
      },
      &call);
  if (call.error) std::rethrow_exception(call.error);
  if constexpr (returns) return std::move(*call.result);
}

} // namespace lmc
