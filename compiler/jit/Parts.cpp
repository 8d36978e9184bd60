#include "jit/Parts.h"

#include "base/Budget.h"
#include "base/Cores.h"
#include "base/DeepStack.h"
#include "base/Pages.h"
#include "tape/TapeCost.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace lmc::jit {

namespace {

/// Instructions of a module for each of its parts, at least.
constexpr std::size_t worthAPart = 1000;

constexpr std::size_t wordSize = sizeof(std::uint64_t);

std::uint64_t wordAt(const std::string& text, std::size_t k) {
  std::uint64_t word = 0;
  if (text.size() / wordSize <= k) throw std::runtime_error("malformed objects");
  std::memcpy(&word, text.data() + k * wordSize, wordSize);
  return word;
}

} // namespace

std::vector<std::vector<bool>> partsOf(const tape::Module& module, std::size_t threads) {
  const std::size_t n = module.functions.size();
  std::vector<std::size_t> length(n), order(n);
  for (std::size_t f = 0; f < n; ++f) length[f] = tape::lengthOf(module.functions[f]);
  const std::size_t all = std::accumulate(length.begin(), length.end(), std::size_t{0});
  const std::size_t count = std::clamp<std::size_t>(all / worthAPart, 1, std::max<std::size_t>(threads, 1));
  // The longest first, each to the part that has least.
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
  std::vector<std::vector<bool>> parts(count, std::vector<bool>(n, false));
  std::vector<std::size_t> load(count, 0);
  for (const std::size_t f : order) {
    const auto least = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    parts[least][f] = true;
    load[least] += length[f];
  }
  std::erase_if(parts, [](const std::vector<bool>& p) { return std::find(p.begin(), p.end(), true) == p.end(); });
  if (parts.empty()) parts.emplace_back(n, true);
  return parts;
}

std::size_t codeThreads() {
  return static_cast<std::size_t>(std::min(usableCores(), 8));
}

void atOnce(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<std::exception_ptr> errors(count);
  const auto guarded = [&](std::size_t k) {
    try {
      work(k);
    } catch (...) {
      errors[k] = std::current_exception();
    }
  };
  Budget::Shared budget;
  std::vector<std::thread> threads;
  std::size_t begun = 1;
  try {
    for (; begun < count; ++begun)
      threads.emplace_back([&, k = begun] {
        onDeepStack([&] {
          bringInHeap();
          budget.work([&] { guarded(k); });
        });
      });
  } catch (const std::system_error&) { // no more threads: the rest follows here
  }
  for (std::size_t k = 0; k < count; ++k)
    if (k == 0 || k >= begun) guarded(k);
  for (std::thread& t : threads) t.join();
  budget.giveBack();
  for (const std::exception_ptr& e : errors)
    if (e) std::rethrow_exception(e);
}

std::string joined(const std::vector<std::string>& objects) {
  std::string text;
  const auto word = [&](std::uint64_t w) { text.append(reinterpret_cast<const char*>(&w), wordSize); };
  word(objects.size());
  for (const std::string& o : objects) word(o.size());
  for (const std::string& o : objects) text += o;
  return text;
}

std::vector<std::string> separated(const std::string& text) {
  const std::uint64_t count = wordAt(text, 0);
  if (count >= text.size() / wordSize) throw std::runtime_error("malformed objects");
  std::size_t begin = (1 + count) * wordSize;
  std::vector<std::string> objects;
  for (std::size_t k = 1; k <= count; ++k) {
    const std::uint64_t size = wordAt(text, k);
    if (size > text.size() - begin) throw std::runtime_error("malformed objects");
    objects.push_back(text.substr(begin, size));
    begin += size;
  }
  if (begin != text.size()) throw std::runtime_error("malformed objects");
  return objects;
}

} // namespace lmc::jit
