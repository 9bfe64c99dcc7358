#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace inferd::python {

// An "execute" message (../README.md), as far as a function needs it that takes a batch as a whole, with one piece of
// memory per input. Read without a tree of values and without allocation.
struct Order {
  static constexpr size_t kTensorsMax = 16;
  static constexpr size_t kRankMax = 8;

  struct Input {
    size_t index = 0;
    int32_t datatype = 0;
    size_t rank = 0;
    std::array<int64_t, kRankMax> shape = {};
    size_t offset = 0;
    size_t size = 0;
  };

  uint64_t number = 0;
  size_t bytes = 0;  // size of the memory that contains the inputs
  size_t wanted_count = 0;
  std::array<size_t, kTensorsMax> wanted = {};  // indices of outputs
  size_t input_count = 0;
  std::array<Input, kTensorsMax> inputs = {};
};

// Returns false if the message is another one, exceeds an Order's limits, or has an input in several pieces. `message`
// is without its leading size.
bool ReadOrder(std::string_view message, Order& to);

}  // namespace inferd::python
