#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "base/thread_pool.h"
#include "kserve/cluster/admission/review.h"
#include "net/http/http.h"
#include "net/loop/loop.h"

namespace inferd::cluster {

// The resources for reviews. All must outlive the handlers. The loops must outlive the pool.
struct WebhookWork {
  const ReviewContext& context;  // called on the loops and on the pool
  base::ThreadPool& lookups;     // for reviews that look objects up
  // The time limit of lookups. A review that exceeds it is denied: the API server waits for less than a second longer.
  std::chrono::milliseconds lookups_max{3'000};
  size_t lookups_waiting_max = 256;  // limit of reviews that wait for the pool; more get 503
};

// Serves POST for the paths of Review(). Other requests get an error with a Status. Most reviews are answered on the
// loop in about a millisecond; those with lookups use the pool. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeWebhookHandler(const WebhookWork& work, net::Loop& loop);

}  // namespace inferd::cluster
