#pragma once

#include <sched.h>
#include <sys/types.h>

namespace inferd::worker {

// Runs two threads that take turns, a caller and its partner in another process, on one core. Neither can work while
// the other one does, and waking a sleeping core costs several times as much as switching threads on one core. If the
// system does not allow it, the threads stay where they are.
//
//   apart --Share--> sharing --Leave: the caller returns to its former cores--> left, the partner stays
//   left --Share--> sharing      left --Part: the partner returns too--> apart
//
// Not thread-safe; call Share() and the following Leave() on one thread.
class SharedCore final {
 public:
  // `partner` is the kernel's thread id.
  void Share(pid_t partner);
  void Leave();
  // Call before a long execution, or for a caller that works meanwhile. Threads that the partner creates inherit its
  // affinity, so it must not stay on the shared core.
  void Part();

 private:
  bool Bring(pid_t partner, int core);

  bool allowed_ = true;
  bool sharing_ = false;
  int core_ = -1;  // the partner's core, or -1 if it was not moved
  pid_t partner_ = 0;
  cpu_set_t callers_ = {};  // the affinity before sharing
  cpu_set_t partners_ = {};
};

}  // namespace inferd::worker
