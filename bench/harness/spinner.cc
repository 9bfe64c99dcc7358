#include "bench/harness/spinner.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace inferd::bench {

namespace {

bool Lower(std::optional<int> niceness) {
  const sched_param parameters{};  // SCHED_IDLE has no priorities
  if (!niceness.has_value()) return ::sched_setscheduler(0, SCHED_IDLE, &parameters) == 0;
  return ::nice(*niceness) != -1;
}

// Spins without the pause instruction, because a host may take the core away at a pause.
[[noreturn]] void Spin(const base::CpuCores& cores, std::optional<int> niceness, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  if (!base::PinThread(cores).ok() || !Lower(niceness)) ::_exit(1);
  volatile unsigned spins = 0;
  for (;;) {
    spins = spins + 1;
  }
}

}  // namespace

Spinner::Spinner(const base::CpuCores& cores, std::optional<int> niceness) {
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) Spin(cores, niceness, parent);
}

Spinner::Spinner(Spinner&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

Spinner::~Spinner() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace inferd::bench
