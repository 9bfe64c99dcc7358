#include "kserve/clustergateway/scaling/peer_loads.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "net/client/http_client.h"

namespace inferd::clustergateway {

namespace {

constexpr size_t kReportBytesMax = 16 << 20;
constexpr std::chrono::milliseconds kConnectTimeout{500};
constexpr std::chrono::milliseconds kAskTimeout{1'000};

}  // namespace

PeerLoads::PeerLoads(std::string own, const base::Clock& clock, Ask ask)
    : own_(std::move(own)),
      clock_(clock),
      ask_(std::move(ask)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void PeerLoads::SetAddresses(std::vector<std::string> addresses) {
  const base::MutexLock lock(mutex_);
  addresses_ = std::move(addresses);
  std::erase_if(known_, [this](const auto& entry) REQUIRES(mutex_) {
    return std::ranges::find(addresses_, entry.first) == addresses_.end();
  });
}

void PeerLoads::SetWanted(bool wanted) {
  const base::MutexLock lock(mutex_);
  wanted_ = wanted;
  if (!wanted) known_.clear();
}

PeerLoads::Sum PeerLoads::Latest() const {
  Sum sum{.revisions = {}, .complete = true};
  const int64_t now_ns = clock_.NowNs();
  const base::MutexLock lock(mutex_);
  for (const std::string& address : addresses_) {
    const auto found = known_.find(address);
    if (found == known_.end() || now_ns - found->second.answered_ns > std::chrono::nanoseconds(kAgeMax).count()) {
      sum.complete = false;
      continue;
    }
    if (found->second.report.gateway == own_) continue;
    for (const auto& [name, load] : found->second.report.revisions) sum.revisions[name] += load;
  }
  return sum;
}

void PeerLoads::AskAll(const std::stop_token& stop) {
  std::vector<std::string> addresses;
  {
    const base::MutexLock lock(mutex_);
    if (!wanted_) return;
    addresses = addresses_;
  }
  for (const std::string& address : addresses) {
    if (stop.stop_requested()) return;
    auto report = ask_(address);
    if (!report.has_value()) continue;
    const base::MutexLock lock(mutex_);
    if (!wanted_ || std::ranges::find(addresses_, address) == addresses_.end()) continue;
    known_[address] = {.report = *std::move(report), .answered_ns = clock_.NowNs()};
  }
}

void PeerLoads::Run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  while (!stop.stop_requested()) {
    AskAll(stop);
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, kPause, [] { return false; });
  }
}

PeerLoads::Ask AskOverHttp() {
  auto clients = std::make_shared<std::map<std::string, std::unique_ptr<net::HttpClient>>>();
  return [clients](const std::string& address) -> base::Result<LoadReport> {
    std::unique_ptr<net::HttpClient>& client = (*clients)[address];
    if (client == nullptr) {
      INFERD_ASSIGN_OR_RETURN(client, net::HttpClient::Create({.url = "http://" + address,
                                                               .connect_timeout = kConnectTimeout,
                                                               .timeout = kAskTimeout,
                                                               .body_bytes_max = kReportBytesMax}));
    }
    const auto answer = client->Call({.path = "/load"});
    if (!answer.has_value()) {
      base::Status error = answer.error();
      clients->erase(address);
      return std::unexpected(std::move(error));
    }
    if (answer->status != 200) return std::unexpected(base::Unavailable(address + " answered GET /load with an error"));
    return ParseLoadReport(answer->body);
  };
}

}  // namespace inferd::clustergateway
