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

// The loads reported by the other gateways. While wanted, a thread asks each of them once a second (GET /load).
// Thread-safe.
class PeerLoads final {
 public:
  // Requests the report of the gateway at an address. Blocks for at most a second.
  using Ask = std::function<base::Result<LoadReport>(const std::string& address)>;

  static constexpr std::chrono::milliseconds kPause{1'000};
  static constexpr std::chrono::seconds kAgeMax{5};  // older reports are ignored

  // `own` is this gateway's identity; its own report is ignored. The clock must outlive this.
  PeerLoads(std::string own, const base::Clock& clock, Ask ask);

  // Sets the gateways' addresses, such as "10.0.0.7:8081". They may include this gateway.
  void SetAddresses(std::vector<std::string> addresses);
  // Starts or stops the requests to the others.
  void SetWanted(bool wanted);

  struct Sum {
    LoadMap revisions;      // the sum over all other gateways
    bool complete = false;  // true if every other gateway has reported recently
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

// Returns a function that asks over HTTP, with one kept connection per address. Not thread-safe.
PeerLoads::Ask AskOverHttp();

}  // namespace inferd::clustergateway
