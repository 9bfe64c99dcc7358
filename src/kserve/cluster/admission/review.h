#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kserve/cluster/admission/pod_review.h"
#include "kserve/model/resolve/admission.h"

namespace inferd::cluster {

// What a webhook answers, over HTTP; the body is JSON.
struct ReviewAnswer {
  int status = 200;
  std::string body;
};

// By what reviews are decided.
struct ReviewContext {
  model::AdmissionContext objects;  // those of KServe's kinds
  PodReviewContext pods;
};

// Answers what an API server asks a webhook, which is named by its path, as KServe 0.10 has them:
//
//   POST /validate-serving-kserve-io-v1beta1-inferenceservice   {"kind":"AdmissionReview",...}
//
// A mutating webhook allows everything, and fills in defaults of what it can read; the API server checks types behind
// it, and the validating one behind that. An object that is being deleted is never refused: its finalizers must go.
// Denials are those of the local API, in KServe's words; as with KServe, the text is the reason, too. Pods have a
// webhook of their own (ReviewPod).
//
// What is no review is answered with an error of HTTP and a Status: 404, there is no such webhook; 400. Never throws.
// `stop` ends what is looked up. Thread-safe where the context is.
ReviewAnswer Review(std::string_view path, std::string_view body, const ReviewContext& context,
                    const std::stop_token& stop = {});

// Whether reviews of that path look objects up at the API server, and so may take seconds.
bool LooksUp(std::string_view path);

// The paths that there are.
std::vector<std::string_view> WebhookPaths();

}  // namespace inferd::cluster
