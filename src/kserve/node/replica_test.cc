#include "kserve/node/replica.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kserve/node/resources/control_group_fixture.h"
#include "net/client/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

using ::testing::HasSubstr;

class ReplicaTest : public ::testing::Test {
 protected:
  // Starts a shell script. The probe connects to a server of the test.
  void Start(const std::string& script, std::chrono::seconds grace = std::chrono::seconds(30)) {
    Start([this, script, grace](const std::stop_token&) -> base::Result<ProcessSpec> {
      ProcessSpec spec;
      spec.program = "/bin/sh";
      spec.arguments = {"-c", script};
      spec.port = probed_.port();
      spec.grace = grace;
      spec.resources = resources_;
      spec.probe = probe_;
      return spec;
    });
  }
  void Start(std::function<base::Result<ProcessSpec>(const std::stop_token&)> make) {
    ReplicaOptions options;
    options.name = "r";
    options.make = std::move(make);
    options.keeper = keeper_.has_value() ? &*keeper_ : nullptr;
    options.on_change = [this] { ++changes_; };
    options.on_log = [this](const std::string& line) {
      const base::MutexLock lock(mutex_);
      log_ += line + "\n";
    };
    replica_.emplace(std::move(options));
  }
  template <typename Condition>
  void Await(Condition condition) {
    while (!condition()) std::this_thread::yield();
  }
  std::string log() {
    const base::MutexLock lock(mutex_);
    return log_;
  }

  net::ScriptedServer probed_{[](const std::string&) { return ""; }};
  ContainerResources resources_;
  ReadinessProbe probe_;
  const support::TempDir groups_;
  std::optional<ResourceKeeper> keeper_;
  std::atomic<int> changes_ = 0;
  base::Mutex mutex_;
  std::string log_ GUARDED_BY(mutex_);
  std::optional<Replica> replica_;
};

TEST_F(ReplicaTest, IsReadyOnceItsPortTakesConnections) {
  Start("exec sleep 1000");
  Await([this] { return replica_->state() == ReplicaState::kReady; });
  EXPECT_EQ(replica_->address(), "127.0.0.1:" + std::to_string(probed_.port()));
  EXPECT_GT(changes_.load(), 0);
  replica_->Stop();
  Await([this] { return replica_->state() == ReplicaState::kEnded; });
  EXPECT_EQ(replica_->restarts(), 0);
}

TEST_F(ReplicaTest, ACommandSaysWhetherItIsReady) {
  const support::TempDir folder;
  const std::filesystem::path asked = folder.path() / "asked";
  const std::filesystem::path loaded = folder.path() / "loaded";
  probe_.way = ReadinessProbe::Way::kCommand;
  probe_.command = {"/bin/sh", "-c", ": > " + asked.string() + "; test -e " + loaded.string()};
  Start("exec sleep 1000");
  Await([&] { return std::filesystem::exists(asked); });
  EXPECT_EQ(replica_->state(), ReplicaState::kStarting);
  std::ofstream(loaded).put('1');
  Await([this] { return replica_->state() == ReplicaState::kReady; });
}

TEST_F(ReplicaTest, ACommandThatHangsIsNoAnswer) {
  const support::TempDir folder;
  const std::filesystem::path asked = folder.path() / "asked";
  probe_.way = ReadinessProbe::Way::kCommand;
  probe_.command = {"/bin/sh", "-c", ": > " + asked.string() + "; sleep 1000"};
  probe_.timeout = std::chrono::hours(1);
  Start("exec sleep 1000");
  Await([&] { return std::filesystem::exists(asked); });
  EXPECT_EQ(replica_->state(), ReplicaState::kStarting);
  replica_->Stop();
  Await([this] { return replica_->state() == ReplicaState::kEnded; });
}

TEST_F(ReplicaTest, AProcessThatEndsIsStartedAgain) {
  Start("echo no model; exit 3");
  Await([this] { return replica_->restarts() >= 2; });
  Await([this] { return replica_->exit_code() == 3; });
  EXPECT_EQ(replica_->failure(), "left with status 3: no model");
  EXPECT_THAT(log(), HasSubstr("r left with status 3\n"));
  EXPECT_THAT(log(), HasSubstr("it is started again in 250 ms"));
}

TEST_F(ReplicaTest, AProcessThatDoesNotHeedTheSignalIsKilled) {
  const support::TempDir folder;
  const std::filesystem::path deaf = folder.path() / "deaf";
  Start("trap '' TERM; : > " + deaf.string() + "; while true; do sleep 1; done", std::chrono::seconds(0));
  Await([&] { return std::filesystem::exists(deaf); });
  replica_->Stop();
  Await([this] { return replica_->state() == ReplicaState::kEnded; });
  EXPECT_THAT(log(), HasSubstr("and is killed"));
}

// Returns the number that a script has written, once it is complete.
pid_t NumberIn(const std::filesystem::path& file) {
  for (;;) {
    std::ifstream stream(file);
    pid_t number = 0;
    if (stream >> number && stream.peek() == '\n') return number;
    std::this_thread::yield();
  }
}

// Returns true if the process has ended. A zombie has.
bool HasEnded(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return !(stream >> number >> name >> state) || state == "Z" || state == "X";
}

TEST_F(ReplicaTest, OneThatWritesWithoutEndIsStopped) {
  // The output of replicas also goes to this program's standard error.
  const base::FileDescriptor screen(dup(STDERR_FILENO));
  const base::FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(dup2(nowhere.get(), STDERR_FILENO), STDERR_FILENO);
  Start("yes & yes & exec yes");
  Await([this] { return replica_->state() == ReplicaState::kReady; });
  replica_->Stop();
  Await([this] { return replica_->state() == ReplicaState::kEnded; });
  EXPECT_EQ(dup2(screen.get(), STDERR_FILENO), STDERR_FILENO);
}

TEST_F(ReplicaTest, WhatItHasStartedEndsWithIt) {
  const support::TempDir folder;
  Start("sleep 1000 & echo $! > " + (folder.path() / "child").string() + "; wait");
  const pid_t child = NumberIn(folder.path() / "child");
  replica_->Stop();
  Await([this] { return replica_->state() == ReplicaState::kEnded; });
  Await([child] { return HasEnded(child); });
}

TEST_F(ReplicaTest, WhatItHasStartedEndsWithItHoweverItEnds) {
  const support::TempDir folder;
  const std::filesystem::path place = folder.path() / "child";
  Start("[ -e " + place.string() + " ] && exec sleep 1000; sleep 1000 & echo $! > " + place.string() + "; kill -9 $$");
  Await([this] { return replica_->last_end().has_value(); });
  Await([child = NumberIn(place)] { return HasEnded(child); });
}

TEST_F(ReplicaTest, SocketsOfAProcessThatWasKilledAreRemoved) {
  const support::TempDir folder;
  const std::string socket = folder.path() / "0.http";
  Start([socket](const std::stop_token&) -> base::Result<ProcessSpec> {
    ProcessSpec spec;
    spec.program = "/bin/sh";
    spec.arguments = {"-c", "touch " + socket + "; kill -9 $$"};
    spec.http_socket = socket;
    return spec;
  });
  Await([this] { return replica_->last_end().has_value(); });
  replica_->Stop();
  Await([this] { return replica_->state() == ReplicaState::kEnded; });
  EXPECT_EQ(replica_->address(), "unix:" + socket);
  EXPECT_FALSE(std::filesystem::exists(socket));
}

TEST_F(ReplicaTest, WhatCannotBeMadeIsTriedAgain) {
  std::atomic<int> tries = 0;
  Start([&](const std::stop_token&) -> base::Result<ProcessSpec> {
    ++tries;
    return std::unexpected(base::Unavailable("no model"));
  });
  Await([&] { return tries.load() >= 2; });
  EXPECT_EQ(replica_->failure(), "no model");
  EXPECT_EQ(replica_->state() == ReplicaState::kReady, false);
}

TEST_F(ReplicaTest, AStopReachesWhatIsStillBeingMade) {
  Start([](const std::stop_token& stop) -> base::Result<ProcessSpec> {
    while (!stop.stop_requested()) std::this_thread::yield();
    return std::unexpected(base::Cancelled("stopped"));
  });
  replica_->Stop();
  Await([this] { return replica_->state() == ReplicaState::kEnded; });
}

// Without control groups. The memory of child processes counts too.
TEST_F(ReplicaTest, OneThatWantsMoreMemoryThanItsLimitIsEnded) {
  keeper_.emplace(base::ControlGroups{.membership = groups_.path() / "none", .mount = groups_.path()});
  resources_.memory_limit_bytes = int64_t{16} << 20;
  Start("sh -c 'x=$(head -c 40000000 /dev/zero | tr \\\\0 a); sleep 1000; echo $x' & wait");
  Await([this] { return replica_->last_end().has_value(); });
  const ProcessEnd end = *replica_->last_end();
  EXPECT_TRUE(end.out_of_memory);
  EXPECT_EQ(end.exit_code, 137);
  EXPECT_EQ(end.message, "wanted more memory than its limit of 16777216 bytes, and was ended (OOMKilled)");
}

// The test plays the kernel: the files of the control group are plain files.
TEST_F(ReplicaTest, OneThatTheKernelEndsForItsMemoryIsKnown) {
  const std::filesystem::path group = groups_.path() / ("inferd." + std::to_string(getpid())) / "r.1";
  std::ofstream(groups_.path() / "membership") << "0::/\n";
  std::ofstream(groups_.path() / "cgroup.controllers") << "cpu memory\n";
  keeper_.emplace(base::ControlGroups{.membership = groups_.path() / "membership", .mount = groups_.path()},
                  RemoveStandIn);
  ASSERT_EQ(keeper_->why_no_groups(), "");
  resources_.memory_limit_bytes = 1000;
  Start("read joined < " + (group / "cgroup.procs").string() + "; cat " + (group / "memory.max").string() +
        "; echo 'oom 1 oom_kill 1' > " + (group / "memory.events").string() + "; kill -9 $$");
  Await([this] { return replica_->last_end().has_value(); });
  EXPECT_TRUE(replica_->last_end()->out_of_memory);
  EXPECT_EQ(replica_->last_end()->exit_code, 137);
  EXPECT_THAT(replica_->last_end()->message, HasSubstr("(OOMKilled): 1000"));
  EXPECT_FALSE(exists(group));
}

}  // namespace
}  // namespace inferd::node
