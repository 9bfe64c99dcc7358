#include "ctl/program/interrupt.h"

namespace inferd::ctl {

namespace {

std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

InterruptCatcher::InterruptCatcher() {
  was_interrupted = false;
  struct sigaction action{};
  action.sa_handler = [](int) { was_interrupted = true; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  ::sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler != SIG_IGN) ::sigaction(SIGINT, &action, nullptr);
}

InterruptCatcher::~InterruptCatcher() { ::sigaction(SIGINT, &before_, nullptr); }

const std::atomic<bool>& InterruptFlag() { return was_interrupted; }

}  // namespace inferd::ctl
