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
  // What mutates_pods() says has changed; on the thread that keeps the certificates.
  std::function<void()> on_pods_change;
  std::string address = "0.0.0.0";
  uint16_t port = 9443;  // 0: any free one
  CertificatePlaces places;
  CertificateTimes times = {};
};

// The webhooks of a cluster's controller, over HTTPS with certificates of its own making. It listens as soon as there
// is one; a thread of it keeps them. Ends what it does, and the answers that are under way, with its destructor.
class WebhookServer final {
 public:
  // All but the options outlive it. The context's functions are called from any thread, as is `leads`: whether this
  // program is the one that writes.
  WebhookServer(WebhookOptions options, kubernetes::Client& client, ReviewContext context, std::function<bool()> leads,
                const base::Clock& clock, metrics::Registry& registry, base::Logger& logger);
  ~WebhookServer();
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;

  // Looks at once whether something is to be done, as when this program begins to lead. Thread-safe.
  void Wake();
  // Whether it listens, or nothing is there that would ask it. Thread-safe.
  bool ready() const;
  // Where it listens; 0: not yet. Thread-safe.
  uint16_t port() const { return port_.load(); }
  // Whether API servers are told to ask here about pods. Thread-safe.
  bool mutates_pods() const;

 private:
  // Until something may be to be done; false: no more.
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
  net::PemPair serving_;       // the thread's
  bool told_of_pods_ = false;  // the thread's; what mutates_pods() was told to be
  std::atomic<uint16_t> port_{0};
  net::LoopGroup loops_;
  base::ThreadPool lookups_;
  net::Server server_;
  ClusterCertificateStore store_;
  CertificateKeeper keeper_;
  std::thread thread_;
};

}  // namespace inferd::cluster
