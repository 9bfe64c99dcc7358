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

// The IP addresses of a host, as the system's resolver says, IPv6 without brackets. Blocks. NOT_FOUND, UNAVAILABLE.
base::Result<std::vector<std::string>> ResolveHost(const std::string& host);

// Keeps backends at the addresses of their names: asks for all of them every few seconds, sooner as long as one is not
// known. A name that cannot be resolved any more keeps the addresses that it had. On a thread of its own, whose end
// waits for the question that is under way.
class NameResolver final {
 public:
  using Resolve = std::function<base::Result<std::vector<std::string>>(const std::string& host)>;

  static constexpr std::chrono::milliseconds kPause{5'000};
  static constexpr std::chrono::milliseconds kPauseUnknown{500};

  // The logger outlives it.
  NameResolver(std::vector<NamedBackend> names, base::Logger& logger, Resolve resolve = ResolveHost);

 private:
  struct Known {
    std::vector<std::string> addresses;
    std::string failure;  // of the last time
  };

  void Run(const std::stop_token& stop);
  // Whether its addresses are known.
  bool Look(const NamedBackend& name, Known& known);

  const std::vector<NamedBackend> names_;
  base::Logger& logger_;
  const Resolve resolve_;
  std::jthread thread_;
};

}  // namespace inferd::clustergateway
