#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controlplane/resolve/admission.h"

namespace inferd::operators {

// What a webhook answers, over HTTP; the body is JSON.
struct ReviewAnswer {
  int status = 200;
  std::string body;
};

// Answers what an API server asks a webhook, which is named by its path, as KServe 0.10 has them:
//
//   POST /validate-serving-kserve-io-v1beta1-inferenceservice   {"kind":"AdmissionReview",...}
//
// A mutating webhook allows everything, and fills in defaults of what it can read; the API server checks types behind
// it, and the validating one behind that. An object that is being deleted is never refused: its finalizers must go.
// Denials are those of the local API, in KServe's words; as with KServe, the text is the reason, too.
//
// What is no review is answered with an error of HTTP and a Status: 404, there is no such webhook; 400. Never throws.
// Thread-safe where the context is.
ReviewAnswer Review(std::string_view path, std::string_view body, const controlplane::AdmissionContext& context);

// The paths that there are.
std::vector<std::string_view> WebhookPaths();

}  // namespace inferd::operators
