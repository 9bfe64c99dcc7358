#include "serving/core/model/readiness_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>

namespace inferd::core {
namespace {

std::future<base::Status> Ask(ReadinessProbe& probe) {
  auto promise = std::make_unique<std::promise<base::Status>>();
  auto answer = promise->get_future();
  probe.Ask([promise = std::move(promise)](const base::Status& status) { promise->set_value(status); });
  return answer;
}

TEST(ReadinessProbeTest, SaysWhatTheModelSaysNow) {
  std::atomic<bool> ready = true;
  ReadinessProbe probe([&] { return ready ? base::OkStatus() : base::Internal("no weights"); }, "m/1", nullptr);
  EXPECT_TRUE(Ask(probe).get().ok());
  ready = false;
  EXPECT_EQ(Ask(probe).get(), base::Unavailable("no weights"));
  ready = true;
  EXPECT_TRUE(Ask(probe).get().ok());
}

TEST(ReadinessProbeTest, AllWhoAskDuringACheckShareIt) {
  std::atomic<int> checks = 0;
  std::latch begun(1);
  std::latch asked(1);
  ReadinessProbe probe(
      [&] {
        if (++checks == 1) begun.count_down();
        asked.wait();
        return base::OkStatus();
      },
      "m/1", nullptr);
  std::vector<std::future<base::Status>> answers;
  answers.push_back(Ask(probe));
  begun.wait();
  for (int i = 0; i < 100; ++i) answers.push_back(Ask(probe));
  asked.count_down();
  for (auto& answer : answers) EXPECT_TRUE(answer.get().ok());
  EXPECT_EQ(checks, 1);
}

TEST(ReadinessProbeTest, WhoWaitsWhileItGoesIsTold) {
  std::latch begun(1);
  std::promise<void> go;
  auto probe = std::make_unique<ReadinessProbe>(
      [&] {
        begun.count_down();
        go.get_future().wait();
        return base::OkStatus();
      },
      "m/1", nullptr);
  auto answer = Ask(*probe);
  begun.wait();
  std::thread end([&] { probe.reset(); });
  EXPECT_EQ(answer.get(), base::Unavailable("the model is being unloaded"));
  go.set_value();
  end.join();
}

}  // namespace
}  // namespace inferd::core
