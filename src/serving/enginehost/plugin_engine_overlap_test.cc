// Tests overlapping executions of an instance on a GPU: the inputs of each are in place before the one before has
// ended, and no answer depends on the others. The fake engine's queues copy only when they are awaited.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <list>
#include <random>
#include <utility>

#include "serving/enginehost/devices_fixture.h"
#include "serving/enginehost/plugin_model.h"
#include "tests/support/stub_engine.h"
#include "tests/support/temp_dir.h"

namespace inferd::enginehost {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::TempDir;
using inferd::support::ValuesOf;

const TempDir& EventFolder() {
  static const TempDir folder;
  return folder;
}

std::filesystem::path EventFile() { return EventFolder().path() / "events"; }

// Set before the engine's first copy: the events of its devices and its executions go into one file, in order.
[[maybe_unused]] const int kEvents = setenv("FAKE_ENGINE_DEVICE_LOG", EventFile().c_str(), 1);

class PluginEngineOverlapTest : public DevicesTest {
 protected:
  struct Flight {
    RecordingExecution execution;
    std::vector<base::BufferSlice> pieces;
    std::vector<int32_t> expected;
  };

  // Counts the events of that kind in the file.
  static size_t Count(std::string_view kind) {
    std::ifstream file(EventFile());
    size_t count = 0;
    for (std::string line; std::getline(file, line);) count += line.contains(kind) ? 1 : 0;
    return count;
  }

  // Returns true if each execution began after the end of the one before.
  static bool OneAtATime() {
    std::ifstream file(EventFile());
    bool running = false;
    for (std::string line; std::getline(file, line);) {
      if (line.contains("\"begin\"") && std::exchange(running, true)) return false;
      if (line.contains("\"end\"")) running = false;
    }
    return true;
  }

  int64_t Dice(int64_t max) { return std::uniform_int_distribution<int64_t>(0, max)(dice_); }

  void Begin(Flight& flight) {
    for (int64_t left = 1 + Dice(2); left > 0; --left) {
      std::vector<int32_t> part(static_cast<size_t>(1 + Dice(200)));
      for (int32_t& number : part) number = static_cast<int32_t>(dice_());
      flight.expected.insert(flight.expected.end(), part.begin(), part.end());
      flight.pieces.push_back(SliceOf(part));
    }
    flight.execution.AddInput(0, tensor::DataType::kInt32, {static_cast<int64_t>(flight.expected.size())}, {});
    flight.execution.inputs[0].pieces.assign(flight.pieces.begin(), flight.pieces.end());
    flight.execution.outputs = {0};
    instance_->Execute(flight.execution);
  }

  // Simulates another request that reuses the request's memory.
  static void Reuse(Flight& flight) {
    for (const base::BufferSlice& piece : flight.pieces) {
      std::memset(const_cast<std::byte*>(piece.data()), 0x5A, piece.size());
    }
  }

  std::mt19937 dice_;
};

// The ways in which executions overlap: the engine takes several, or the server prepares the next one while the engine
// computes, inside its call or after it.
struct Way {
  const char* name;
  size_t beside;
  const char* configuration;
  const char* complete_on_thread;
  const char* unfinished_executions_max;
};
constexpr Way kWays[] = {{"taken by the engine", 4, "", "true", "4"},
                         {"ahead", 2, "optimization { eager_batching: true }", "false", "1"},
                         {"ahead, pending", 2, "optimization { eager_batching: true }", "true", "1"}};

TEST_F(PluginEngineOverlapTest, InputsAreCopiedBeforeTheExecutionBeforeEndsAndAnswersAreTheirOwn) {
  const TempDir folder;
  const std::string hold = folder.path() / "hold";
  Start({});
  const base::Buffer most = pinned_->Take((size_t{1} << 20) - 1800);  // the rest has room for a few
  const size_t taken = pinned_->used();
  for (const Way& way : kWays) {
    for (const char* input : {"device", "engine_device"}) {
      for (const char* output : {"device", "host_device"}) {
        text_ = way.configuration;
        Start({{"input_memory", input},
               {"output_memory", output},
               {"one_piece", "true"},
               {"complete_on_thread", way.complete_on_thread},
               {"unfinished_executions_max", way.unfinished_executions_max},
               {"hold_file", hold},
               {"operator.writes", "true"},
               {"record_batches_file", EventFile()}});
        EXPECT_EQ(model_->unfinished_executions_max(), static_cast<int>(way.beside));
        for (uint32_t seed = 0; seed < 10; ++seed) {
          SCOPED_TRACE(std::string(way.name) + ", " + input + " " + output + " " + std::to_string(seed));
          dice_.seed(seed);
          folder.Write("hold", "");
          const size_t ended = Count("\"end\"");
          std::list<Flight> flights;
          while (flights.size() < way.beside) {
            const size_t copied = Count(" to GPU 1\"");
            Begin(flights.emplace_back());
            ASSERT_GT(Count(" to GPU 1\""), copied) << "of the input";
            ASSERT_EQ(Count("\"end\""), ended) << "no execution has ended";
            Reuse(flights.back());
          }
          folder.Remove("hold");
          for (Flight& flight : flights) {
            flight.execution.WaitUntilFinished();
            ASSERT_TRUE(flight.execution.responses()[0].status.ok());
            ASSERT_EQ(ValuesOf<int32_t>(flight.execution.output(0).data), flight.expected);
          }
          ASSERT_EQ(pinned_->used(), taken);
        }
      }
    }
  }
  EXPECT_GT(use_->blocks, 1u);
  EXPECT_GT(use_->refusals, 0u);
  EXPECT_TRUE(OneAtATime());
}

// An engine that takes one execution at a time and answers after its call has returned.
TEST(PluginInstanceTest, WhatIsPreparedBeginsWhenTheExecutionBeforeHasEnded) {
  support::StubEngine engine;
  std::atomic<const inferd_batch*> pending = nullptr;
  std::atomic<bool> first_ended = false;
  std::atomic<int> calls = 0;
  engine.execute = [&](const inferd_batch& batch, inferd_error*) -> int32_t {
    EXPECT_TRUE(calls++ == 0 || first_ended);
    pending = &batch;
    pending.notify_all();
    return INFERD_PENDING;
  };
  const std::shared_ptr<const LoadedModel> model = *engine.Take();
  PluginInstance instance(model, {.prepares_ahead = true}, std::make_unique<base::ThreadPool>("test", 1));
  RecordingExecution executions[2];
  for (RecordingExecution& each : executions) instance.Execute(each);
  for (RecordingExecution& each : executions) {
    pending.wait(nullptr);
    const inferd_batch* const batch = pending.exchange(nullptr);
    first_ended = true;
    engine.host.finish(batch);
    each.WaitUntilFinished();
  }
  EXPECT_EQ(calls, 2);
}

TEST_F(PluginEngineOverlapTest, NothingIsPreparedAheadOnTheCpuOrWithoutBeingAskedFor) {
  Start({});
  EXPECT_EQ(model_->unfinished_executions_max(), 1);
  text_ = "optimization { eager_batching: true } instance_group { kind: KIND_CPU }";
  Start({});
  EXPECT_EQ(model_->unfinished_executions_max(), 1) << "an instance of it is on the CPU";
}

}  // namespace
}  // namespace inferd::enginehost
