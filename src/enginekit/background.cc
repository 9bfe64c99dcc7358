#include "enginekit/background.h"

#include <unistd.h>

#include <system_error>
#include <thread>

namespace inferd::enginekit {

namespace {

// Added to what the process has: a tenth of a core where all others are busy (sched(7), "The nice value").
constexpr int kNiceness = 10;

}  // namespace

void RunInBackground(const std::function<void()>& work) {
  std::thread thread;
  try {
    thread = std::thread([&work] {
      // Of this thread alone, as Linux has it. Without it the work is only less considerate.
      static_cast<void>(::nice(kNiceness));
      work();
    });
  } catch (const std::system_error&) {
    return work();
  }
  thread.join();
}

}  // namespace inferd::enginekit
