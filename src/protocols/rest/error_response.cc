#include "protocols/rest/error_response.h"

#include <algorithm>
#include <string>

#include "base/text/printable.h"
#include "data/json/reader.h"
#include "data/json/writer.h"

namespace inferd::rest {

namespace {
constexpr size_t kMessageBytesMax = 16 << 10;
}  // namespace

net::HttpResponse ErrorResponse(int http_status, std::string_view message) {
  // A client controls the length of the quotations in a message.
  std::string cut;
  if (message.size() > kMessageBytesMax) message = cut = base::Printable(message, kMessageBytesMax);
  json::Writer writer(message.size() + 32);
  writer.BeginObject();
  writer.Member("error", message);
  writer.EndObject();
  net::HttpResponse response;
  response.status = http_status;
  response.content_type = "application/json";
  response.body = writer.Take();
  return response;
}

net::HttpResponse ErrorResponse(const Options& options, const base::Status& status, int64_t retry_after_ms) {
  const std::string_view message =
      status.message().empty() ? base::StatusCodeName(status.code()) : std::string_view(status.message());
  net::HttpResponse response = ErrorResponse(net::HttpStatus(options.statuses, status.code()), message);
  const bool comes_up = status.code() == base::StatusCode::kUnavailable && retry_after_ms > 0;
  if (response.status == 429 || comes_up) {
    const int64_t seconds = retry_after_ms > 0 ? (retry_after_ms + 999) / 1000 : options.retry_after_s;
    response.headers.emplace_back("Retry-After", std::to_string(std::max<int64_t>(seconds, 1)));
  }
  // 401 must name the accepted scheme (RFC 9110, 11.6.1).
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

std::string ErrorText(const net::HttpResponse& response) {
  if (response.status < 400 || response.content_type != "application/json" || response.body.size() != 1) return {};
  json::Reader reader(response.body[0].view());
  if (!reader.BeginObject().ok()) return {};
  const auto key = reader.NextKey();
  if (!key.has_value() || !key->has_value() || **key != "error") return {};
  const auto text = reader.ReadString();
  return text.has_value() ? std::string(*text) : std::string();
}

net::HttpResponse JsonResponse(std::string_view json) { return net::HttpResponse::Text(200, "application/json", json); }

}  // namespace inferd::rest
