#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/executor.h"
#include "base/logging.h"
#include "base/name_pattern.h"
#include "config/options/grpc_options.h"
#include "serving/core/dispatcher.h"
#include "serving/core/request/queue_full.h"

namespace inferd::rpc {

// The options of every front-end over gRPC. Each front-end derives its own from them. Set before the server starts;
// immutable afterwards, and shared by every loop's methods.
struct Options {
  bool access_log = false;                              // one line per call, at info level
  std::optional<base::NamePattern> forwarded_metadata;  // ASCII metadata that become parameters of inference requests
  core::QueueFull queue_full = {};
  uint64_t control_bytes_max = 1 << 20;  // messages of all calls but inference and load: RESOURCE_EXHAUSTED
  config::GrpcDelays delays = {};
  size_t offload_bytes = 256 * 1024;  // what is encoded element by element is left to the pool from this size on
};

// The environment of a call, for any service. Everything must outlive the calls.
struct Surroundings {
  const Options& options;
  core::Dispatcher& dispatcher;  // this loop's
  base::Executor& pool;          // for big decoding and encoding
  base::Logger& logger;
  const base::Clock& clock;
};

// Returns the surroundings that a service's environment contains.
template <typename Environment>
Surroundings SurroundingsOf(const Environment& environment) {
  return {.options = environment.options,
          .dispatcher = environment.dispatcher,
          .pool = environment.pool,
          .logger = environment.logger,
          .clock = environment.clock};
}

}  // namespace inferd::rpc
