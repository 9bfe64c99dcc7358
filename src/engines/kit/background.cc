#include "engines/kit/background.h"

#include <pthread.h>
#include <unistd.h>

namespace inferd::kit {

namespace {

// Added to the process's own: a tenth of a core's share if all others are busy (sched(7), "The nice value").
constexpr int kNiceness = 10;

void* Run(void* work) {
  // Linux applies it to this thread only. If it fails, the work only competes more.
  static_cast<void>(::nice(kNiceness));
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

void RunInBackground(const std::function<void()>& work, size_t stack_bytes) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return work();
  if (stack_bytes > 0) static_cast<void>(::pthread_attr_setstacksize(&attributes, stack_bytes));
  pthread_t thread = {};
  const int error = ::pthread_create(&thread, &attributes, Run, const_cast<std::function<void()>*>(&work));
  ::pthread_attr_destroy(&attributes);
  if (error != 0) return work();
  ::pthread_join(thread, nullptr);
}

}  // namespace inferd::kit
