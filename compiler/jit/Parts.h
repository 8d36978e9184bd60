// A module made as several objects at the same time: which functions are in which, on which threads, and how they are
// kept together.
#pragma once

#include "tape/Tape.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lmc::jit {

/// The functions of each part, at most `threads` parts: about as many instructions in each, and not so few that what
/// every object takes would be more than what is gained. The same for the same module.
[[nodiscard]] std::vector<std::vector<bool>> partsOf(const tape::Module& module, std::size_t threads);

/// Threads that make machine code at the same time: one for each processor that may be used, eight at most.
[[nodiscard]] std::size_t codeThreads();

/// Calls work(k) for each k < count, at the same time: the first on this thread, the others on threads with a deep
/// stack, which share what is left of this thread's budget (base/Budget.h); what they take of it counts. Waits for all
/// and throws what the first of them throws.
void atOnce(std::size_t count, const std::function<void(std::size_t)>& work);

/// The objects of a module as one text, as the cache keeps it, and back. `separated` throws std::runtime_error for what
/// `joined` has not made.
[[nodiscard]] std::string joined(const std::vector<std::string>& objects);
[[nodiscard]] std::vector<std::string> separated(const std::string& text);

} // namespace lmc::jit
