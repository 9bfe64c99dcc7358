#include "protocols/oip_http/call.h"

#include <utility>

#include "protocols/rest/error_response.h"

namespace inferd::oip_http {

Call::Call(std::shared_ptr<const Environment> environment, const net::RequestHead& head, int64_t received_ns,
           net::Reply reply)
    : rest::Call(environment->options, environment->logger, environment->clock, head, received_ns, std::move(reply)),
      environment_(std::move(environment)) {}

void Call::Fail(const base::Status& status, int http_status, int64_t retry_after_ms) {
  Send(http_status != 0 ? rest::ErrorResponse(http_status, status.message())
                        : rest::ErrorResponse(options(), status, retry_after_ms));
}

}  // namespace inferd::oip_http
