#pragma once

#include <memory>

#include "base/logging.h"
#include "inferd/engine_abi.h"
#include "serving/enginehost/calls/host_calls.h"

namespace inferd::enginehost {

// The server's functions as one engine library calls them. Lives as long as the process. Thread-safe.
struct HostTable final : inferd_host {
  // `logger` may be null; otherwise it outlives the process's engines.
  HostTable(base::Logger* logger, int process_cpu_threads);

  base::Logger* logger;
  const std::unique_ptr<HostCalls> calls;
};

}  // namespace inferd::enginehost
