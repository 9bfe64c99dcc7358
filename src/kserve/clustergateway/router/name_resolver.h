#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "kserve/clustergateway/router/router_graph.h"

namespace inferd::clustergateway {

// Resolves a host with the system's resolver. IPv6 addresses have no brackets. Blocks. NOT_FOUND or UNAVAILABLE on
// failure.
base::Result<std::vector<std::string>> ResolveHost(const std::string& host);

// Keeps the addresses of backends current. A thread resolves all names every few seconds, and more often while one is
// unknown. A name that cannot be resolved any more keeps its last addresses. The destructor waits for a running lookup.
class NameResolver final {
 public:
  using Resolve = std::function<base::Result<std::vector<std::string>>(const std::string& host)>;

  static constexpr std::chrono::milliseconds kPause{5'000};
  static constexpr std::chrono::milliseconds kPauseUnknown{500};

  // The logger must outlive the resolver.
  NameResolver(std::vector<NamedBackend> names, base::Logger& logger, Resolve resolve = ResolveHost);

 private:
  struct Known {
    std::vector<std::string> addresses;
    std::string failure;  // of the last lookup; empty if it succeeded
  };

  void Run(const std::stop_token& stop);
  // Resolves the backend's name. Returns true if its addresses are known.
  bool Look(const NamedBackend& name, Known& known);

  const std::vector<NamedBackend> names_;
  base::Logger& logger_;
  const Resolve resolve_;
  std::jthread thread_;
};

}  // namespace inferd::clustergateway
