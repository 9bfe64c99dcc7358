#include "bench/harness/awake_cores.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inferd::bench {

namespace {

// Without the pause instruction, at which a host may take the core away.
[[noreturn]] void SpinOn(int core, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  const sched_param parameters{};  // SCHED_IDLE has no priorities
  if (::sched_setaffinity(0, sizeof cores, &cores) != 0 || ::sched_setscheduler(0, SCHED_IDLE, &parameters) != 0) {
    ::_exit(1);
  }
  volatile unsigned spins = 0;
  for (;;) {
    spins = spins + 1;
  }
}

}  // namespace

AwakeCores::AwakeCores(bool wanted) {
  cpu_set_t cores;
  if (!wanted || ::sched_getaffinity(0, sizeof cores, &cores) != 0) return;
  const pid_t parent = ::getpid();
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &cores)) continue;
    const pid_t pid = ::fork();
    if (pid == 0) SpinOn(core, parent);
    if (pid > 0) spinners_.push_back(pid);
  }
}

AwakeCores::~AwakeCores() {
  for (const pid_t pid : spinners_) ::kill(pid, SIGKILL);
  for (const pid_t pid : spinners_) ::waitpid(pid, nullptr, 0);
}

}  // namespace inferd::bench
