#include "base/system/end_signals.h"

#include <sys/signalfd.h>

#include <csignal>

namespace inferd::base {

FileDescriptor TakeEndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return FileDescriptor(signalfd(-1, &signals, SFD_CLOEXEC));
}

}  // namespace inferd::base
