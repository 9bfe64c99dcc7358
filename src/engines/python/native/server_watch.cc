#include "engines/python/native/server_watch.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engines/python/process_stat.h"

namespace inferd::python {

namespace {

// Bounds the fight against a process that starts others as fast as they are killed.
constexpr int kRoundsMax = 100;

// Returns how many processes below this one it has killed.
size_t KillDescendants() {
  std::vector<std::pair<pid_t, pid_t>> processes;  // living processes and their parents
  for (const pid_t process : Processes()) {
    if (const auto stat = StatOf(process); stat.has_value() && stat->state != 'Z') {
      processes.emplace_back(process, stat->parent);
    }
  }
  std::vector<pid_t> family = {getpid()};
  for (size_t i = 0; i < family.size(); ++i) {
    for (const auto& [process, parent] : processes) {
      if (parent == family[i]) family.push_back(process);
    }
  }
  for (size_t i = 1; i < family.size(); ++i) kill(family[i], SIGKILL);
  return family.size() - 1;
}

void Watch(int descriptor, int patience_ms) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  // Ask for no event: the end of both directions is always reported.
  pollfd gone{.fd = descriptor, .events = 0, .revents = 0};
  while (poll(&gone, 1, -1) < 0 && errno == EINTR) {
  }
  poll(nullptr, 0, patience_ms);
  for (int round = 0; round < kRoundsMax && KillDescendants() > 0; ++round) {
  }
  _exit(0);
}

}  // namespace

bool EndWithServer(int descriptor, int patience_ms) {
  try {
    std::thread([=] { Watch(descriptor, patience_ms); }).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace inferd::python
