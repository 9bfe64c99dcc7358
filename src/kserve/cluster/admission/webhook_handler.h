#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "base/thread_pool.h"
#include "kserve/cluster/admission/review.h"
#include "net/http/http.h"
#include "net/loop/loop.h"

namespace inferd::cluster {

// Where reviews are answered. All outlive the handlers; the loops, too, the pool.
struct WebhookWork {
  const ReviewContext& context;  // called on the loops and on the pool
  base::ThreadPool& lookups;     // for reviews that look objects up
  // Then what is looked up is given up, and the review is denied: an API server waits for less than a second more.
  std::chrono::milliseconds lookups_max{3'000};
  size_t lookups_waiting_max = 256;  // reviews that wait for the pool; one more is 503
};

// POST of the paths of Review(); all else is an error, as a Status. Answers on its loop, in about a millisecond, but
// for reviews that look objects up. Loop-bound.
std::unique_ptr<net::HttpHandler> MakeWebhookHandler(const WebhookWork& work, net::Loop& loop);

}  // namespace inferd::cluster
