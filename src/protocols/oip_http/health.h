#pragma once

#include <string_view>

#include "net/http/http.h"
#include "protocols/oip_http/codec/options.h"
#include "protocols/oip_http/handler.h"
#include "serving/core/model/catalog.h"

// Predict V2, "Health": 200 for true, 400 for false, 404 for an unknown model; no other status. Pure.

namespace inferd::oip_http {

net::HttpResponse ServerLiveResponse(const Options& options, const net::RequestHead& head,
                                     const core::Catalog& catalog);
net::HttpResponse ServerReadyResponse(const Options& options, const net::RequestHead& head,
                                      const core::Catalog& catalog);
// `readiness` is the catalog's status of the model.
net::HttpResponse ModelReadyResponse(const Options& options, bool wants_json, std::string_view model,
                                     const base::Status& readiness);
// Returns true if the client also accepts a JSON body with the state.
bool WantsHealthJson(const Options& options, const net::RequestHead& head);

// Prometheus exposition format 0.0.4.
net::HttpResponse MetricsPage(const MetricsText& metrics_text);

}  // namespace inferd::oip_http
