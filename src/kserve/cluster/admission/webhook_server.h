#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "base/thread_pool.h"
#include "kserve/cluster/admission/certificate_keeper.h"
#include "kserve/cluster/admission/certificate_store.h"
#include "kserve/cluster/admission/review.h"
#include "kserve/kubernetes/client/client.h"
#include "net/loop_group.h"
#include "net/server.h"

namespace inferd::cluster {

struct WebhookOptions {
  // Called when the result of mutates_pods() changed, on the thread that keeps the certificates.
  std::function<void()> on_pods_change;
  std::string address = "0.0.0.0";
  uint16_t port = 9443;  // 0 selects a free port
  CertificatePlaces places;
  CertificateTimes times = {};
};

// The webhooks of a cluster's controller, over HTTPS with its own certificates. It listens as soon as a certificate
// exists. A thread renews certificates. The destructor stops that thread, and waits for responses in flight.
class WebhookServer final {
 public:
  // All references must outlive the server. The context's functions and `leads` are called on any thread. `leads`
  // returns true if this process may write.
  WebhookServer(WebhookOptions options, kubernetes::Client& client, ReviewContext context, std::function<bool()> leads,
                const base::Clock& clock, metrics::Registry& registry, base::Logger& logger);
  ~WebhookServer();
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;

  // Checks at once whether anything must be done, for example because this process begins to lead. Thread-safe.
  void Wake();
  // Returns true if the server listens, or no webhook exists that would call it. Thread-safe.
  bool ready() const;
  // Returns the port. 0 if the server does not listen yet. Thread-safe.
  uint16_t port() const { return port_.load(); }
  // Returns false if API servers are known not to call this server for pods. Thread-safe.
  bool mutates_pods() const;
  // Adds why certificates and configurations of webhooks may be out of date. Called by one thread.
  void AddDoubts(std::vector<Doubt>& doubts) const { store_.AddDoubts(doubts); }

 private:
  // Blocks until a step may be needed. Returns false if the server stops.
  bool AwaitStep();
  void TellOfPods();
  bool Show(const net::PemPair& serving);
  bool Listen();

  const WebhookOptions options_;
  const ReviewContext context_;
  base::Logger& logger_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool awake_ GUARDED_BY(mutex_) = true;
  bool stopping_ GUARDED_BY(mutex_) = false;
  net::PemPair serving_;       // used by thread_ only
  bool told_of_pods_ = false;  // used by thread_ only; the last reported result of mutates_pods()
  std::atomic<uint16_t> port_{0};
  net::LoopGroup loops_;
  base::ThreadPool lookups_;
  net::Server server_;
  ClusterCertificateStore store_;
  CertificateKeeper keeper_;
  std::thread thread_;
};

}  // namespace inferd::cluster
