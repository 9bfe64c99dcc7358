#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kserve/clustergateway/scaling/load_report.h"

namespace inferd::clustergateway {

// What the other gateways have measured: asks each of them once a second (GET /load), while that is wanted, on a thread
// of its own. Thread-safe.
class PeerLoads final {
 public:
  // The report of the gateway at an address. Blocks for a second at most.
  using Ask = std::function<base::Result<LoadReport>(const std::string& address)>;

  static constexpr std::chrono::milliseconds kPause{1'000};
  static constexpr std::chrono::seconds kAgeMax{5};  // of a report, after which it counts no more

  // `own`: this gateway's identity, whose report is left out. The clock outlives it.
  PeerLoads(std::string own, const base::Clock& clock, Ask ask);

  // "10.0.0.7:8081" of each gateway, this one perhaps among them.
  void SetAddresses(std::vector<std::string> addresses);
  // Whether they are asked.
  void SetWanted(bool wanted);

  struct Sum {
    LoadMap revisions;      // of all other gateways together
    bool complete = false;  // each of them has answered lately
  };
  Sum Latest() const;

 private:
  struct Known {
    LoadReport report;
    int64_t answered_ns = 0;
  };

  void Run(const std::stop_token& stop);
  void AskAll(const std::stop_token& stop);

  const std::string own_;
  const base::Clock& clock_;
  const Ask ask_;
  mutable base::Mutex mutex_;
  std::vector<std::string> addresses_ GUARDED_BY(mutex_);
  bool wanted_ GUARDED_BY(mutex_) = false;
  std::map<std::string, Known> known_ GUARDED_BY(mutex_);  // by address
  std::jthread thread_;
};

// Asks over HTTP, on a connection that is kept for each address. For one thread.
PeerLoads::Ask AskOverHttp();

}  // namespace inferd::clustergateway
