#include "server/process/signals.h"

#include <unistd.h>

#include <ctime>

namespace inferd::server {

Signals::Signals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigemptyset(&set_);
  sigaddset(&set_, SIGTERM);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

int Signals::Wait(std::chrono::milliseconds timeout) {
  const timespec limit{.tv_sec = timeout.count() / 1000, .tv_nsec = timeout.count() % 1000 * 1'000'000};
  const int signal = sigtimedwait(&set_, nullptr, &limit);
  return signal > 0 ? signal : 0;
}

bool Signals::EndIsPending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

void Signals::ExitOnNext() {
  struct sigaction action{};
  action.sa_handler = [](int) { _exit(1); };
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  sigset_t enders;
  sigemptyset(&enders);
  sigaddset(&enders, SIGTERM);
  sigaddset(&enders, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &enders, nullptr);
}

}  // namespace inferd::server
