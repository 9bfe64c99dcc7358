#pragma once

#include <string_view>

#include "net/http/http.h"
#include "protocols/clientshm/registry.h"
#include "protocols/oip_http/codec/options.h"
#include "protocols/oip_http/router.h"

namespace inferd::oip_http {

// Answers a call of Triton's shared memory extensions, with `route` to Endpoint::kRegion... If `regions` is null, they
// are not supported.
net::HttpResponse AnswerRegionCall(const Options& options, clientshm::Registry* regions, const Route& route,
                                   std::string_view body);

}  // namespace inferd::oip_http
