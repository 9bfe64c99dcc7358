#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "inferd/engine_abi.h"

namespace inferd::python {

// Writes a model's lines into the server's log, with limits for the lines and bytes per time window and for the length
// of a line, since a model may log without end. Counts and reports the dropped lines. Not thread-safe.
class WorkerLog final {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kLineBytesMax = size_t{1} << 16;
  static constexpr std::chrono::seconds kWindow{10};
  static constexpr size_t kLinesMax = 10'000;           // per window
  static constexpr size_t kBytesMax = size_t{8} << 20;  // per window

  explicit WorkerLog(const inferd_host& host) : host_(host) {}
  // Reports the lines dropped in the last window.
  ~WorkerLog() { EndWindow(); }
  WorkerLog(const WorkerLog&) = delete;
  WorkerLog& operator=(const WorkerLog&) = delete;

  // Sets the instance's name, for reports of dropped lines.
  void SetInstance(std::string instance) { instance_ = std::move(instance); }
  void Write(int32_t level, std::string_view text, Clock::time_point now);

 private:
  void EndWindow();
  void Warn(const std::string& what) const;

  const inferd_host& host_;
  std::string instance_;
  Clock::time_point window_begun_;
  size_t lines_ = 0;  // in this window
  size_t bytes_ = 0;
  size_t left_out_ = 0;
};

}  // namespace inferd::python
