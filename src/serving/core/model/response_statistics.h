#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "serving/core/model/catalog.h"
#include "serving/core/model/duration_count.h"

namespace inferd::core {

// How a response ended: with outputs, with an error, without either, or because its request was given up.
enum class ResponseOutcome { kSuccess, kFail, kEmpty, kCancel };
inline constexpr size_t kResponseOutcomes = 4;

// Counts responses by their place among those of their request, as Triton's statistics extension does. Those beyond
// kIndicesMax are not counted. Thread-safe: relaxed atomics, no lock.
class ResponseStatistics final {
 public:
  static constexpr size_t kIndicesMax = 4096;

  ResponseStatistics() = default;
  ~ResponseStatistics();
  ResponseStatistics(const ResponseStatistics&) = delete;
  ResponseStatistics& operator=(const ResponseStatistics&) = delete;

  // `infer_ns`: since the response before it, or since the execution began; `output_ns`: what taking it over took.
  void Record(uint64_t index, ResponseOutcome outcome, int64_t infer_ns, int64_t output_ns);
  std::vector<ModelStatistics::Response> Read() const;

 private:
  struct Row {
    DurationCount infer, output;
    std::array<DurationCount, kResponseOutcomes> outcomes;
  };
  // Most streams are short.
  static constexpr size_t kRowsPerBlock = 128;
  using Block = std::array<Row, kRowsPerBlock>;

  std::array<std::atomic<Block*>, kIndicesMax / kRowsPerBlock> blocks_{};
};

}  // namespace inferd::core
