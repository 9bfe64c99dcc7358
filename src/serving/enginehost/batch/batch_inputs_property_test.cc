// Tests inputs on their way to a device that copies late and in any order, through pinned memory that all executions
// share and that is too small. Every input must be in place when Prepare() returns, and must stay unchanged when the
// memory of its requests and the pinned memory are reused.

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <vector>

#include "serving/enginehost/batch/batch_inputs.h"
#include "serving/enginehost/transfer/late_device_fixture.h"
#include "tests/support/recording_execution.h"
#include "tests/support/stub_engine.h"

namespace inferd::enginehost {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using tensor::DataType;

constexpr size_t kPoolBytes = 8192;
constexpr int kInputs = 3;
constexpr int64_t kRequestElementsMax = 300;
constexpr size_t kInFlightMax = 4;

// One execution, and the expected inputs on the device.
struct Flight {
  RecordingExecution execution;
  BatchInputs inputs;
  std::vector<std::vector<int32_t>> expected;
};

class BatchInputsPropertyTest : public ::testing::Test {
 protected:
  BatchInputsPropertyTest() {
    static constexpr int64_t kShape[] = {-1};
    static constexpr const char* kNames[kInputs] = {"a", "b", "c"};
    for (const char* name : kNames) {
      inferd_tensor_spec spec = {};
      spec.name = {name, 1};
      spec.datatype = INFERD_TYPE_INT32;
      spec.shape = kShape;
      spec.rank = 1;
      spec.one_piece = 1;
      spec.memory_kinds = 1u << INFERD_MEMORY_GPU;
      engine_.Add(spec, &engine_.inputs);
    }
    engine_.opened.pinned = std::make_shared<PinnedPool>(kPoolBytes);
    EXPECT_TRUE(engine_.opened.pinned->Open(Pinned).ok());
    model_ = *engine_.Take();
  }

  int64_t Dice(int64_t max) { return std::uniform_int_distribution<int64_t>(0, max)(dice_); }

  // Makes random inputs in random pieces. If `broken`, one of them lacks a byte.
  void Fill(Flight& flight, bool broken) {
    const int64_t wrong = broken ? Dice(kInputs - 1) : -1;
    for (int input = 0; input < kInputs; ++input) {
      std::vector<int32_t>& all = flight.expected.emplace_back();
      boost::container::small_vector<base::BufferSlice, 1> pieces;
      for (int64_t left = 1 + Dice(3); left > 0; --left) {
        std::vector<int32_t> part(static_cast<size_t>(Dice(kRequestElementsMax)));
        for (int32_t& number : part) number = static_cast<int32_t>(dice_());
        all.insert(all.end(), part.begin(), part.end());
        pieces.push_back(SliceOf(part));
      }
      const auto count = static_cast<int64_t>(all.size()) + (input == wrong ? 1 : 0);
      flight.execution.AddInput(input, DataType::kInt32, {count}, {});
      flight.execution.inputs.back().pieces = std::move(pieces);
    }
  }

  // Reads an input from the device's memory, which this test can do.
  static std::vector<int32_t> OnDevice(const inferd_input& input) {
    EXPECT_EQ(input.pieces[0].kind, INFERD_MEMORY_GPU);
    std::vector<int32_t> numbers(input.pieces[0].size / sizeof(int32_t));
    if (!numbers.empty()) std::memcpy(numbers.data(), input.pieces[0].data, input.pieces[0].size);
    return numbers;
  }

  static bool IsThere(const Flight& flight) {
    for (size_t i = 0; i < flight.expected.size(); ++i) {
      if (OnDevice(*flight.inputs.list()[i]) != flight.expected[i]) return false;
    }
    return true;
  }

  // Simulates another request that reuses the request's memory.
  static void Reuse(Flight& flight) {
    for (core::ExecutionInput& input : flight.execution.inputs) {
      for (const base::BufferSlice& piece : input.pieces) {
        if (!piece.empty()) std::memset(const_cast<std::byte*>(piece.data()), 0x5A, piece.size());
      }
      input.pieces.clear();
    }
  }

  std::mt19937 dice_;
  support::StubEngine engine_;
  std::shared_ptr<const LoadedModel> model_;
};

TEST_F(BatchInputsPropertyTest, NoRequestsBytesAreReusedWhileTheyAreCopied) {
  const InstanceSeat seat{.place = TheLateDevice().place()};
  for (uint32_t seed = 0; seed < 200; ++seed) {
    dice_.seed(seed);
    TheLateDevice().Seed(seed);
    std::list<Flight> flights;
    for (int round = 0; round < 12; ++round) {
      Flight& flight = flights.emplace_back();
      const bool broken = Dice(3) == 0;
      Fill(flight, broken);
      const base::Status status = flight.inputs.Prepare(*model_, seat, flight.execution);
      ASSERT_EQ(status.ok(), !broken) << status.ToString();
      if (broken) flight.inputs.Clear();
      ASSERT_EQ(TheLateDevice().under_way(), 0u);
      Reuse(flight);
      if (broken) {
        flights.pop_back();
      } else if (flights.size() > kInFlightMax) {
        flights.erase(std::next(flights.begin(), Dice(kInFlightMax)));
      }
      ASSERT_TRUE(std::ranges::all_of(flights, IsThere)) << "seed " << seed << ", round " << round;
      ASSERT_EQ(engine_.opened.pinned->used(), 0u) << "it is given back as soon as the copies are done";
    }
  }
  EXPECT_GT(TheLateDevice().pinned(), 0u);
  EXPECT_GT(TheLateDevice().pageable(), 0u) << "there is too little for all";
}

}  // namespace
}  // namespace inferd::enginehost
