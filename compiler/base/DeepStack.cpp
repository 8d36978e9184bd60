#include "base/DeepStack.h"

#include <pthread.h>

namespace lmc {

namespace {

constexpr std::size_t stackSize = std::size_t{512} << 20;

thread_local bool deep = false;

struct Start {
  void (*function)(void*);
  void* data;
};

void* run(void* start) {
  deep = true;
  const Start& s = *static_cast<Start*>(start);
  s.function(s.data);
  return nullptr;
}

bool callOnThread(Start& start) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread{};
  const bool made =
      pthread_attr_setstacksize(&attributes, stackSize) == 0 && pthread_create(&thread, &attributes, run, &start) == 0;
  pthread_attr_destroy(&attributes);
  if (made) pthread_join(thread, nullptr);
  return made;
}

} // namespace

void callOnDeepStack(void (*function)(void*), void* data) {
  Start start{function, data};
  if (deep || !callOnThread(start)) function(data);
}

} // namespace lmc
