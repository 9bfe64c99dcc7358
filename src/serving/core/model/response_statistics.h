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

// The end of a response: with outputs, with an error, with neither, or its request was cancelled.
enum class ResponseOutcome { kSuccess, kFail, kEmpty, kCancel };
inline constexpr size_t kResponseOutcomes = 4;

// Counts responses by their index within their request, as Triton's statistics extension does. Responses beyond
// kIndicesMax are not counted. Thread-safe: relaxed atomics, no lock.
class ResponseStatistics final {
 public:
  static constexpr size_t kIndicesMax = 4096;

  ResponseStatistics() = default;
  ~ResponseStatistics();
  ResponseStatistics(const ResponseStatistics&) = delete;
  ResponseStatistics& operator=(const ResponseStatistics&) = delete;

  // Counts a response. `infer_ns` is the time since the previous response, or since the start of the execution.
  // `output_ns` is the time to take its outputs over.
  void Record(uint64_t index, ResponseOutcome outcome, int64_t infer_ns, int64_t output_ns);
  std::vector<ModelStatistics::Response> Read() const;

 private:
  struct Row {
    DurationCount infer, output;
    std::array<DurationCount, kResponseOutcomes> outcomes;
  };
  // Blocks are allocated when needed, as most streams are short.
  static constexpr size_t kRowsPerBlock = 128;
  using Block = std::array<Row, kRowsPerBlock>;

  std::array<std::atomic<Block*>, kIndicesMax / kRowsPerBlock> blocks_{};
};

}  // namespace inferd::core
