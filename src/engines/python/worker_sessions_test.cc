#include "engines/python/worker_sessions.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "base/system/file_descriptor.h"

namespace inferd::python {
namespace {

using std::chrono::steady_clock;

// A worker with processes that it has started and that stay: one in its session, one in its own session, and a daemon.
struct StartedWorker {
  base::ChildProcess process;
  std::vector<pid_t> started;
};

StartedWorker Start(WorkerSessions& sessions) {
  static constexpr std::array<const char*, 3> kStarted = {"sleep 1000 & echo $!",
                                                          "setsid sh -c 'echo $$; exec sleep 1000' &",
                                                          "(setsid sh -c 'echo $$; exec sleep 1000' &)"};
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  base::FileDescriptor writing(ends[1]);
  std::string script;
  for (const char* const each : kStarted) script += std::string(each) + "\n";
  auto child = sessions.Start(
      {.program = "sh", .arguments = {"sh", "-c", script + "wait"}, .output = writing.get(), .own_errors = true});
  EXPECT_TRUE(child.has_value());
  writing.Close();
  std::FILE* const lines = fdopen(ends[0], "r");
  std::vector<pid_t> started;
  pid_t process = 0;
  while (started.size() < kStarted.size() && std::fscanf(lines, "%d", &process) == 1) started.push_back(process);
  EXPECT_EQ(started.size(), kStarted.size());
  std::fclose(lines);
  return {*std::move(child), std::move(started)};
}

void End(WorkerSessions& sessions, base::ChildProcess& process) {
  process.Kill();
  EXPECT_TRUE(process.EndsBefore(steady_clock::now() + std::chrono::seconds(30)));
  sessions.End(process.pid());
  static_cast<void>(process.WaitForEnd());
}

class WorkerSessionsTest : public ::testing::Test {
 protected:
  ~WorkerSessionsTest() override { prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); }
};

TEST_F(WorkerSessionsTest, AWorkerTakesAllThatItHasStartedWithIt) {
  WorkerSessions sessions(WorkerSessions::Orphans::kAdopt);
  StartedWorker worker = Start(sessions);
  for (const pid_t process : worker.started) EXPECT_EQ(kill(process, 0), 0) << process;
  End(sessions, worker.process);
  for (const pid_t process : worker.started) EXPECT_NE(kill(process, 0), 0) << process;
}

TEST_F(WorkerSessionsTest, AnotherWorkerAndOtherChildrenStay) {
  WorkerSessions sessions(WorkerSessions::Orphans::kAdopt);
  auto other = sessions.Start({.program = "sleep", .arguments = {"sleep", "1000"}});
  auto child = base::ChildProcess::Start({.program = "sleep", .arguments = {"sleep", "1000"}});
  ASSERT_TRUE(other.has_value() && child.has_value());
  StartedWorker worker = Start(sessions);
  End(sessions, worker.process);
  EXPECT_FALSE(other->EndsBefore(steady_clock::now()));
  EXPECT_FALSE(child->EndsBefore(steady_clock::now()));
  End(sessions, *other);
}

TEST_F(WorkerSessionsTest, WithoutAdoptionWhatIsInTheSessionEnds) {
  WorkerSessions sessions;
  StartedWorker worker = Start(sessions);
  End(sessions, worker.process);
  // The process belongs to init now, which may not have waited for it yet.
  const auto is_there = [](pid_t process) {
    std::FILE* const stat = std::fopen(("/proc/" + std::to_string(process) + "/stat").c_str(), "r");
    char state = 'Z';
    if (stat != nullptr) {
      EXPECT_EQ(std::fscanf(stat, "%*d (%*[^)]) %c", &state), 1);
      std::fclose(stat);
    }
    return state != 'Z';
  };
  const auto until = steady_clock::now() + std::chrono::seconds(30);
  while (is_there(worker.started[0]) && steady_clock::now() < until) {
  }
  EXPECT_FALSE(is_there(worker.started[0]));
  for (const pid_t process : worker.started) kill(process, SIGKILL);
}

}  // namespace
}  // namespace inferd::python
