#pragma once

#include <sched.h>
#include <sys/types.h>

namespace inferd::worker {

// Has two threads that take turns, a caller and its partner in another process, run on one core. Neither can do anything
// while the other one does; to wake a core that sleeps costs several times what going from one thread to the other on
// the same core does. Where the system does not allow it, they stay where they are.
//
//   apart --Share--> sharing --Leave: the caller goes where it could be before--> left, the partner stays
//   left --Share--> sharing      left --Part: so does the partner--> apart
//
// Not thread-safe; Share and the Leave behind it are one thread's.
class SharedCore final {
 public:
  // `partner`: as the kernel numbers threads.
  void Share(pid_t partner);
  void Leave();
  // Before the partner works for long, or for a caller that does something else meanwhile: threads that it makes are
  // placed as it is.
  void Part();

 private:
  bool Bring(pid_t partner, int core);

  bool allowed_ = true;
  bool sharing_ = false;
  int core_ = -1;  // that the partner was brought to; -1: none
  pid_t partner_ = 0;
  cpu_set_t callers_ = {};  // what they could use before
  cpu_set_t partners_ = {};
};

}  // namespace inferd::worker
