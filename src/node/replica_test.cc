#include "node/replica.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "net/client/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

using ::testing::HasSubstr;

class ReplicaTest : public ::testing::Test {
 protected:
  // A shell's script. The probe's connection is to a server of the test.
  void Start(const std::string& script, std::chrono::seconds grace = std::chrono::seconds(30)) {
    Start([this, script, grace](const std::stop_token&) -> base::Result<ProcessSpec> {
      ProcessSpec spec;
      spec.program = "/bin/sh";
      spec.arguments = {"-c", script};
      spec.port = probed_.port();
      spec.grace = grace;
      return spec;
    });
  }
  void Start(std::function<base::Result<ProcessSpec>(const std::stop_token&)> make) {
    ReplicaOptions options;
    options.name = "r";
    options.make = std::move(make);
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

}  // namespace
}  // namespace inferd::node
