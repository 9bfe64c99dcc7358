#pragma once

#include <memory>

#include "controlplane/resolve/admission.h"
#include "net/http/http.h"

namespace inferd::operators {

// POST of the paths of Review(); all else is an error, as a Status. Answers on its loop, in about a millisecond.
// Loop-bound; the context is called on the loop, too, and outlives it.
std::unique_ptr<net::HttpHandler> MakeWebhookHandler(const controlplane::AdmissionContext& context);

}  // namespace inferd::operators
