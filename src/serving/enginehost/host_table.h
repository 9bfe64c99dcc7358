#pragma once

#include <memory>

#include "base/logging.h"
#include "inferd/engine_abi.h"
#include "serving/enginehost/calls/host_calls.h"

namespace inferd::enginehost {

// The table of the server's functions that one engine library gets. Lives as long as the process. Thread-safe.
struct HostTable final : inferd_host {
  // `logger` may be null. Otherwise it must outlive the engines of the process.
  HostTable(base::Logger* logger, int process_cpu_threads);

  base::Logger* logger;
  const std::unique_ptr<HostCalls> calls;
};

}  // namespace inferd::enginehost
