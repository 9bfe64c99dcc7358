#pragma once

#include <string_view>

#include "clientshm/registry.h"
#include "frontends/oip_http/codec/options.h"
#include "frontends/oip_http/router.h"
#include "net/http/http.h"

namespace inferd::oip_http {

// Answers a call of Triton's shared memory extensions, with `route` to Endpoint::kRegion...; `regions` null: they are
// not served.
net::HttpResponse AnswerRegionCall(const Options& options, clientshm::Registry* regions, const Route& route,
                                   std::string_view body);

}  // namespace inferd::oip_http
