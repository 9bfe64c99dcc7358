// Tests workers that send invalid messages, or messages too large for the memory: only the worker ends. Workers are
// scripts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines/python/python_model.h"
#include "engines/python/worker_link.h"
#include "tests/support/temp_dir.h"

namespace inferd::python {
namespace {

using ::testing::HasSubstr;

// A host that records the calls. One at a time, since its functions have no context of their own.
struct NotingHost {
  NotingHost() {
    current = this;
    table.struct_size = sizeof(table);
    table.log_enabled = [](const inferd_host*, int32_t) { return 0; };
    table.log = [](const inferd_host*, int32_t, inferd_text) {};
    table.respond = [](const inferd_batch*, size_t, const inferd_response* response) {
      if (std::exchange(current->without_memory, false)) throw std::bad_alloc();
      current->codes.push_back(response->code);
      current->messages.emplace_back(response->message.data, response->message.size);
    };
    table.finish = [](const inferd_batch*) { ++current->finished; };
    table.is_cancelled = [](const inferd_batch*, size_t) { return 0; };
    table.request_id = [](const inferd_batch*, size_t) { return inferd_text{"", 0}; };
    table.sequence = [](const inferd_batch*, size_t, inferd_sequence*) { return 0; };
    table.timeout_us = [](const inferd_batch*, size_t) { return uint64_t{0}; };
    table.traceparent = [](const inferd_batch*, size_t) { return inferd_text{"", 0}; };
    table.await_readable = [](const inferd_host*, int, void (*ready)(void*), void* arg) {
      if (current->waits) current->awaited.push_back([ready, arg] { ready(arg); });
      return current->waits ? 1 : 0;
    };
    table.parameter_at = [](const inferd_batch*, size_t, size_t, inferd_text*, inferd_parameter*) { return 0; };
  }
  ~NotingHost() {
    // Each is called once, at the latest when its thread ends.
    RunAwaited();
    current = nullptr;
  }

  void RunAwaited() {
    for (const auto& ready : std::exchange(awaited, {})) ready();
  }

  inline static NotingHost* current = nullptr;
  inferd_host table = {};
  bool without_memory = false;  // for the next response
  bool waits = false;           // for descriptors, as told by the test
  std::vector<std::function<void()>> awaited;
  std::vector<int32_t> codes;
  std::vector<std::string> messages;
  std::atomic<int> finished = 0;  // the members above do not change after it is set
};

struct OneRequest {
  OneRequest() {
    batch.struct_size = sizeof(batch);
    batch.request_count = 1;
    batch.rows = &rows;
  }
  const int64_t rows = 1;
  inferd_batch batch = {};
};

// Adds a final, successful response to the only request.
void AddEmptyResponse(MarshalWriter& message) {
  message.Tuple(7);
  message.Int(0);
  message.Bool(true);
  message.Int(INFERD_OK);
  message.Text("");
  message.Tuple(0);
  message.Tuple(0);
  message.Bool(false);
}

std::string Framed(const MarshalWriter& message) {
  const auto size = static_cast<uint32_t>(message.bytes().size());
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + message.bytes();
}

// Workers that are shell scripts: once the server has sent something, they send the bytes that the test prepared.
class ScriptedWorkerTest : public ::testing::Test {
 protected:
  std::filesystem::path Script(const MarshalWriter& said) {
    dir_.Write("said", Framed(said));
    dir_.Write("worker", "head -c 1 <&3 >/dev/null\ncat '" + dir_.path().string() + "/said' >&3\ncat <&3 >/dev/null\n");
    return dir_.path() / "worker";
  }

  const support::TempDir dir_;
  NotingHost host_;
};

// Makes the end of the first execution, which has one request.
MarshalWriter Done() {
  MarshalWriter done;
  done.Tuple(4);
  done.Text("done");
  done.Int(1);
  done.Int(0);
  done.Tuple(1);
  AddEmptyResponse(done);
  return done;
}

// Executions on a thread that waits for descriptors.
class WatchedExecutionTest : public ScriptedWorkerTest {
 protected:
  std::unique_ptr<WorkerLink> Begin(const MarshalWriter& said) {
    auto link =
        WorkerLink::Start(host_.table, {.program = "/bin/sh", .worker = Script(said), .environment = {}}, "scripted");
    if (!link.has_value()) return nullptr;
    (*link)->Serve("scripted_0_0", std::chrono::minutes(1));
    host_.waits = true;
    const auto progress = (*link)->Execute(request_.batch);
    if (!progress.has_value() || *progress != kit::Progress::kPending) return nullptr;
    return *std::move(link);
  }

  const OneRequest request_;
};

TEST_F(WatchedExecutionTest, IsFinishedByThatThread) {
  const auto link = Begin(Done());
  ASSERT_NE(link, nullptr);
  ASSERT_EQ(host_.awaited.size(), 1u);
  // The callback may run for no reason: then the listener takes the rest.
  host_.RunAwaited();
  while (host_.finished == 0) std::this_thread::yield();
  EXPECT_EQ(host_.codes, std::vector<int32_t>{INFERD_OK});
}

TEST_F(WatchedExecutionTest, IsTheListenersWhereThatThreadDoesNotCome) {
  const auto link = Begin(Done());
  ASSERT_NE(link, nullptr);
  while (host_.finished == 0) std::this_thread::yield();
  EXPECT_EQ(host_.codes, std::vector<int32_t>{INFERD_OK});
  host_.RunAwaited();  // it finds nothing to do
  EXPECT_EQ(host_.finished, 1);
}

TEST_F(WatchedExecutionTest, TheWorkerMayBeGoneWhenThatThreadComes) {
  auto link = Begin(Done());
  ASSERT_NE(link, nullptr);
  while (host_.finished == 0) std::this_thread::yield();
  link.reset();
  host_.RunAwaited();
}

TEST_F(WatchedExecutionTest, AWorkerThatEndsInsteadIsTheListenersToFind) {
  dir_.Write("worker", "head -c 1 <&3 >/dev/null\n");
  auto link = WorkerLink::Start(
      host_.table, {.program = "/bin/sh", .worker = dir_.path() / "worker", .environment = {}}, "scripted");
  ASSERT_TRUE(link.has_value());
  (*link)->Serve("scripted_0_0", std::chrono::minutes(1));
  host_.waits = true;
  ASSERT_TRUE((*link)->Execute(request_.batch).has_value());
  // The end of the stream stays readable: it must not be awaited again and again.
  while (host_.finished == 0) {
    host_.RunAwaited();
  }
  EXPECT_EQ(host_.codes, std::vector<int32_t>{INFERD_UNAVAILABLE});
}

// The worker has begun at most the first of two executions.
TEST_F(WatchedExecutionTest, OneThatAnEndedWorkerHadNotBegunIsTakenBack) {
  dir_.Write("worker", "head -c 1 <&3 >/dev/null\nread line < '" + dir_.path().string() + "/go'\n");
  const std::filesystem::path go = dir_.path() / "go";
  ASSERT_EQ(mkfifo(go.c_str(), 0600), 0);
  auto link = WorkerLink::Start(
      host_.table, {.program = "/bin/sh", .worker = dir_.path() / "worker", .environment = {}}, "scripted");
  ASSERT_TRUE(link.has_value());
  std::atomic<const inferd_batch*> taken_back = nullptr;
  (*link)->Serve("scripted_0_0", std::chrono::minutes(1), [&](const inferd_batch& batch) { taken_back = &batch; });
  host_.waits = true;
  const OneRequest next;
  for (const OneRequest* const request : {&request_, &next}) {
    const auto progress = (*link)->Execute(request->batch);
    ASSERT_TRUE(progress.has_value());
    EXPECT_EQ(*progress, kit::Progress::kPending);
  }
  std::ofstream(go) << "on\n";
  while (host_.finished == 0) std::this_thread::yield();
  EXPECT_EQ(host_.codes, std::vector<int32_t>{INFERD_UNAVAILABLE});
  EXPECT_EQ(taken_back, &next.batch);
  link->reset();
  EXPECT_EQ(host_.finished, 1);
}

TEST_F(WatchedExecutionTest, TheNextIsWatchedByTheThreadThatTheOneBeforeIsFinishedOn) {
  MarshalWriter both = Done();
  dir_.Write("first", Framed(both));
  MarshalWriter second;
  second.Tuple(4);
  second.Text("done");
  second.Int(2);
  second.Int(0);
  second.Tuple(1);
  AddEmptyResponse(second);
  dir_.Write("second", Framed(second));
  const std::string folder = dir_.path().string();
  dir_.Write("worker", "head -c 1 <&3 >/dev/null\ncat '" + folder + "/first' >&3\nread line < '" + folder +
                           "/go'\ncat '" + folder + "/second' >&3\ncat <&3 >/dev/null\n");
  ASSERT_EQ(mkfifo((dir_.path() / "go").c_str(), 0600), 0);
  auto link = WorkerLink::Start(
      host_.table, {.program = "/bin/sh", .worker = dir_.path() / "worker", .environment = {}}, "scripted");
  ASSERT_TRUE(link.has_value());
  (*link)->Serve("scripted_0_0", std::chrono::minutes(1));
  host_.waits = true;
  const OneRequest next;
  ASSERT_TRUE((*link)->Execute(request_.batch).has_value());
  ASSERT_TRUE((*link)->Execute(next.batch).has_value());
  // Finished by these callbacks, or by the listener if this thread is slow.
  while (host_.finished == 0 && !host_.awaited.empty()) {
    host_.RunAwaited();
  }
  std::ofstream(dir_.path() / "go") << "on\n";
  while (host_.finished < 2) std::this_thread::yield();
  EXPECT_EQ(host_.codes, (std::vector<int32_t>{INFERD_OK, INFERD_OK}));
}

TEST_F(ScriptedWorkerTest, OneThatThereIsNoMemoryForEndsAlone) {
  const OneRequest request;
  auto link =
      WorkerLink::Start(host_.table, {.program = "/bin/sh", .worker = Script(Done()), .environment = {}}, "scripted");
  ASSERT_TRUE(link.has_value()) << link.error().message();
  (*link)->Serve("scripted_0_0", std::chrono::minutes(1));
  host_.without_memory = true;
  const auto progress = (*link)->Execute(request.batch);
  ASSERT_TRUE(progress.has_value()) << progress.error().message();
  EXPECT_EQ(*progress, kit::Progress::kPending);
  // Finished by this thread, or by the listener.
  while (host_.finished == 0) std::this_thread::yield();
  ASSERT_EQ(host_.codes, std::vector<int32_t>{INFERD_UNAVAILABLE});
  EXPECT_THAT(host_.messages[0], HasSubstr("sent what there is no memory for, and was ended"));
  EXPECT_EQ(host_.finished, 1);
  EXPECT_EQ((*link)->Execute(request.batch).error().code(), base::StatusCode::kUnavailable);
}

// Neither an execution nor the end of its instance may wait for a model that logs without end.
TEST_F(ScriptedWorkerTest, LinesOfTheLogAreNoSignOfLife) {
  MarshalWriter line;
  line.Tuple(3);
  line.Text("log");
  line.Int(INFERD_LOG_INFO);
  line.Text("still at it");
  dir_.Write("said", Framed(line));
  dir_.Write("worker", "while :; do cat '" + dir_.path().string() + "/said' || exit; done >&3 2>/dev/null\n");
  const auto start = [this] {
    auto link = WorkerLink::Start(host_.table,
                                  {.program = "/bin/sh", .worker = dir_.path() / "worker", .environment = {}}, "logs");
    EXPECT_TRUE(link.has_value()) << link.error().message();
    return *std::move(link);
  };
  const OneRequest request;
  const auto link = start();
  link->Serve("logs_0_0", std::chrono::milliseconds(200));
  const auto progress = link->Execute(request.batch);
  ASSERT_TRUE(progress.has_value()) << progress.error().message();
  while (host_.finished == 0) std::this_thread::yield();
  EXPECT_THAT(host_.messages.at(0), HasSubstr("did not answer in time, and was ended"));
  MarshalWriter load;
  load.Tuple(0);
  EXPECT_EQ(start()->Exchange(load, std::chrono::milliseconds(200)).error().code(), base::StatusCode::kUnavailable);
  start()->Serve("logs_0_0", std::chrono::minutes(1));
}

TEST_F(ScriptedWorkerTest, WhatNoSignatureSaysIsRefused) {
  const auto load = [this](int64_t patience_ms, int64_t datatype, bool named = true) {
    MarshalWriter loaded;
    loaded.Tuple(15);
    loaded.Text("loaded");
    loaded.Int(patience_ms);
    for (int i = 0; i < 4; ++i) loaded.Bool(false);
    loaded.Tuple(1);
    loaded.Tuple(8);
    named ? loaded.Text("x") : loaded.Int(0);
    loaded.Int(datatype);
    loaded.None();
    loaded.Bool(false);
    loaded.Tuple(0);
    for (int i = 0; i < 2; ++i) loaded.Bool(false);
    loaded.Int(0);
    loaded.Tuple(0);
    loaded.Int(0);
    for (int i = 0; i < 6; ++i) loaded.Bool(false);
    const inferd_pair interpreter = {{"interpreter", 11}, {"/bin/sh", 7}};
    inferd_load spec = {};
    spec.struct_size = sizeof(spec);
    spec.model_file = spec.model_dir = spec.version_dir = {"/m", 2};
    spec.parameters = &interpreter;
    spec.parameter_count = 1;
    const auto model = PythonModel::Load(host_.table, Script(loaded), spec);
    return model.has_value() ? base::OkStatus() : model.error();
  };
  EXPECT_TRUE(load(1000, INFERD_TYPE_FP32).ok()) << load(1000, INFERD_TYPE_FP32).ToString();
  // Times are counted in nanoseconds: large values overflow when they are added.
  for (const int64_t patience : {std::numeric_limits<int64_t>::max(), int64_t{10'000'000'000'000}, int64_t{-1}}) {
    EXPECT_EQ(load(patience, INFERD_TYPE_FP32).code(), base::StatusCode::kInternal) << patience;
  }
  EXPECT_EQ(load(1000, (int64_t{1} << 32) + INFERD_TYPE_FP32).code(), base::StatusCode::kInternal);
  EXPECT_THAT(load(1000, INFERD_TYPE_FP32, /*named=*/false).message(),
              HasSubstr("the Python worker describes input 0: its name is no text"));
}

}  // namespace
}  // namespace inferd::python
