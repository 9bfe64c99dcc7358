#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "inferd/engine_abi.h"

namespace inferd::python {

// The lines that a worker's model writes into the server's log: so many of them in so long a time, and each so long at
// most, since a model may write them without end. What is left out is counted, and said. Not thread-safe.
class WorkerLog final {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kLineBytesMax = size_t{1} << 16;
  static constexpr std::chrono::seconds kWindow{10};
  static constexpr size_t kLinesMax = 10'000;           // in a window
  static constexpr size_t kBytesMax = size_t{8} << 20;  // so, too

  explicit WorkerLog(const inferd_host& host) : host_(host) {}
  // Says what is left to be said.
  ~WorkerLog() { EndWindow(); }
  WorkerLog(const WorkerLog&) = delete;
  WorkerLog& operator=(const WorkerLog&) = delete;

  // Whose lines they are, for what is said of those that are left out.
  void SetInstance(std::string instance) { instance_ = std::move(instance); }
  void Write(int32_t level, std::string_view text, Clock::time_point now);

 private:
  void EndWindow();
  void Warn(const std::string& what) const;

  const inferd_host& host_;
  std::string instance_;
  Clock::time_point window_begun_;
  size_t lines_ = 0;  // of this window
  size_t bytes_ = 0;
  size_t left_out_ = 0;
};

}  // namespace inferd::python
