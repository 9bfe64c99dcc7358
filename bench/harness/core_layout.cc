#include "bench/harness/core_layout.h"

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
  const sched_param parameters{};  // SCHED_IDLE has no priorities
  if (!base::PinThread({core}).ok() || ::sched_setscheduler(0, SCHED_IDLE, &parameters) != 0) ::_exit(1);
  volatile unsigned spins = 0;
  for (;;) {
    spins = spins + 1;
  }
}

base::CpuCores& Programs() {
  static base::CpuCores cores = base::ThreadCpuCores();
  return cores;
}

}  // namespace

const base::CpuCores& CoreLayout::OfPrograms() { return Programs(); }

CoreLayout::CoreLayout(const Options& options) {
  const base::CpuCores all = Programs();
  const pid_t parent = ::getpid();
  for (const int core : options.awake ? all : base::CpuCores()) {
    const pid_t pid = ::fork();
    if (pid == 0) SpinOn(core, parent);
    if (pid > 0) spinners_.push_back(pid);
  }
  if (options.apart && all.size() > 1 && base::PinThread({all.front()}).ok()) {
    Programs().assign(all.begin() + 1, all.end());
  }
}

CoreLayout::~CoreLayout() {
  for (const pid_t pid : spinners_) ::kill(pid, SIGKILL);
  for (const pid_t pid : spinners_) ::waitpid(pid, nullptr, 0);
}

void AddCoreOptions(CLI::App& app, CoreLayout::Options& options) {
  app.add_flag("--awake", options.awake, "Keep the cores from sleeping between requests");
  app.add_flag("--apart", options.apart, "The load generator on the first core, the servers on the others");
}

}  // namespace inferd::bench
