#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "serving/core/request/request_trace.h"

namespace inferd::core {

// The facts about a request that decide whether it is traced. Views.
struct TraceSubject {
  enum class Transport : uint8_t { kHttp, kGrpc };

  std::string_view model;
  std::string_view version;
  std::string_view request_id;
  std::string_view traceparent;  // well-formed, or empty
  Transport transport = Transport::kHttp;
  int64_t received_ns = 0;  // base::Clock::NowNs when its first byte was seen
};

// Decides which requests are traced, and how: Triton's trace extension. Thread-safe.
class Tracing {
 public:
  // Settings by name, and their values as texts.
  using Settings = std::vector<std::pair<std::string, std::vector<std::string>>>;
  // New values. nullopt restores the value of the start, or, for a model, the value for all models.
  using Changes = std::vector<std::pair<std::string, std::optional<std::vector<std::string>>>>;

  virtual ~Tracing() = default;

  // Starts the trace of a request. Null if the request is not traced. While tracing is off, this costs one atomic read.
  std::shared_ptr<RequestTrace> Begin(const TraceSubject& subject) {
    return on_.load(std::memory_order_relaxed) ? Sample(subject) : nullptr;
  }

  // `model` empty: of all models that have none of their own. "trace_count" is how many traces are left, as in Triton.
  virtual Settings InForce(std::string_view model) const = 0;
  // Applies all changes, or none. INVALID_ARGUMENT if a setting is unknown or cannot have that value. UNIMPLEMENTED if
  // a setting cannot be changed while the server runs.
  virtual base::Status Change(std::string_view model, const Changes& changes) = 0;

 protected:
  void TurnOn(bool on) { on_.store(on, std::memory_order_relaxed); }

 private:
  virtual std::shared_ptr<RequestTrace> Sample(const TraceSubject& subject) = 0;

  std::atomic<bool> on_{false};
};

}  // namespace inferd::core
