#include "protocols/trtis_http/nv_status.h"

#include <algorithm>
#include <string>

#include "protocols/trtis/request_status.h"

namespace inferd::trtis_http {

namespace {

void AddStatus(const trtis::RequestStatus& status, net::HttpResponse& response) {
  response.headers.emplace_back("NV-Status", trtis::StatusText(status));
}

// Access errors have the usual HTTP statuses.
int HttpStatusOf(base::StatusCode code) {
  if (code == base::StatusCode::kUnauthenticated) return 401;
  return code == base::StatusCode::kPermissionDenied ? 403 : 400;
}

trtis::Code CodeOf(int http_status) {
  if (http_status == 500) return trtis::Code::kInternal;
  if (http_status == 501) return trtis::Code::kUnsupported;
  return http_status > 500 || http_status == 429 ? trtis::Code::kUnavailable : trtis::Code::kInvalidArg;
}

}  // namespace

void AddSuccess(const Options& options, uint64_t request_id, net::HttpResponse& response) {
  AddStatus({.code = trtis::Code::kSuccess, .server_id = options.state->server_id(), .request_id = request_id},
            response);
}

net::HttpResponse FailureResponse(const Options& options, const base::Status& status, uint64_t request_id,
                                  int64_t retry_after_ms) {
  net::HttpResponse response;
  response.status = HttpStatusOf(status.code());
  AddStatus({.code = trtis::CodeOf(status.code()),
             .message = status.message(),
             .server_id = options.state->server_id(),
             .request_id = request_id},
            response);
  if (retry_after_ms > 0) {
    response.headers.emplace_back("Retry-After", std::to_string(std::max<int64_t>((retry_after_ms + 999) / 1000, 1)));
  }
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

net::HttpResponse TransportRefusal(int http_status, std::string_view text) {
  net::HttpResponse response;
  response.status = http_status;
  AddStatus({.code = CodeOf(http_status), .message = text}, response);
  return response;
}

}  // namespace inferd::trtis_http
