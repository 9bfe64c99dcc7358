#pragma once

#include "net/http2/stream/link.h"
#include "net/http2/stream/outbound.h"
#include "net/http2/stream/requests.h"

namespace inferd::net::http2 {

// The connection as its streams see it. Loop-bound; outlives them.
struct StreamContext {
  StreamContext(Link& shared, nghttp2_data_provider body_source)
      : link(shared), requests(shared), outbound(shared, body_source) {}

  Link& link;
  Requests requests;
  Outbound outbound;
};

}  // namespace inferd::net::http2
