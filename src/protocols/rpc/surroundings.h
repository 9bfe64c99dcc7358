#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "base/name_pattern.h"
#include "serving/core/dispatcher.h"
#include "serving/core/request/queue_full.h"

namespace inferd::rpc {

// How much later steps of inferences are taken, for tests of clients; 0: at once.
struct Delays {
  std::chrono::milliseconds call{0};           // a unary call is taken up, unless its client has gone by then
  std::chrono::milliseconds answer{0};         // a unary success is sent
  std::chrono::milliseconds notice{0};         // a unary call notices that its client has gone
  std::chrono::milliseconds response{0};       // a stream sends each of its responses, one after the other
  std::chrono::milliseconds last_response{0};  // a stream takes the last response to a request
};

// What every front-end over gRPC is told; each derives its own from it. Set before the server starts; immutable and
// shared by every loop's methods afterwards.
struct Options {
  bool access_log = false;                              // one line per call, at info level
  std::optional<base::NamePattern> forwarded_metadata;  // ASCII metadata that become parameters of inference requests
  core::QueueFull queue_full = {};
  uint64_t control_bytes_max = 1 << 20;  // messages of all calls but inference and load: RESOURCE_EXHAUSTED
  Delays delays = {};
  size_t offload_bytes = 256 * 1024;  // what is encoded element by element is left to the pool from this size on
};

// What a call works with, whatever its service. Everything outlives the calls.
struct Surroundings {
  const Options& options;
  core::Dispatcher& dispatcher;  // this loop's
  base::Executor& pool;          // big decoding and encoding
  base::Logger& logger;
  const base::Clock& clock;
};

// Those that a service's environment has among other things.
template <typename Environment>
Surroundings SurroundingsOf(const Environment& environment) {
  return {.options = environment.options,
          .dispatcher = environment.dispatcher,
          .pool = environment.pool,
          .logger = environment.logger,
          .clock = environment.clock};
}

}  // namespace inferd::rpc
