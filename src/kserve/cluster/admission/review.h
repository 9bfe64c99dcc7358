#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kserve/cluster/admission/pod_review.h"
#include "kserve/model/resolve/admission.h"

namespace inferd::cluster {

// A webhook's HTTP response. The body is JSON.
struct ReviewAnswer {
  int status = 200;
  std::string body;
};

// The inputs of reviews.
struct ReviewContext {
  model::AdmissionContext objects;  // for KServe's kinds
  PodReviewContext pods;
};

// Answers a review of an API server. The path selects the webhook, as in KServe 0.10:
//
//   POST /validate-serving-kserve-io-v1beta1-inferenceservice   {"kind":"AdmissionReview",...}
//
// A mutating webhook allows every object, and fills in the defaults of the fields that it can parse. After it, the API
// server checks the types, and then calls the validating webhook. An object that is being deleted is never refused,
// because its finalizers must be removed. Denials are the same as those of the local API, in KServe's words; as with
// KServe, the text is also the reason. Pods have a webhook of their own (ReviewPod).
//
// An unknown path gets an HTTP 404 with a Status. A malformed review gets a 400: a denial if its uid is known, else an
// HTTP error with a Status. Never throws. `stop` cancels lookups. Thread-safe if the context is.
ReviewAnswer Review(std::string_view path, std::string_view body, const ReviewContext& context,
                    const std::stop_token& stop = {});

// Returns true if reviews of that path look up objects at the API server. Such a review may take seconds.
bool LooksUp(std::string_view path);

// Returns the paths of all webhooks.
std::vector<std::string_view> WebhookPaths();

}  // namespace inferd::cluster
