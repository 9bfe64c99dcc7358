#include "net/grpc/web.h"

#include <string>
#include <utility>

#include "base/text/ascii_case.h"
#include "net/grpc/message_frame.h"

namespace inferd::net::grpc {

namespace {

constexpr std::string_view kWebHeadersSent =
    "content-type,x-grpc-web,x-user-agent,grpc-timeout,grpc-encoding,grpc-accept-encoding,x-request-id";
constexpr std::string_view kWebHeadersRead =
    "grpc-status,grpc-message,grpc-status-details-bin,grpc-encoding,x-request-id";

bool LeavesOriginOpen(const Options& options) { return options.web_allow_origin == "*"; }

void AppendAllowOrigin(const Options& options, HttpResponse& response) {
  response.headers.emplace_back("access-control-allow-origin", options.web_allow_origin);
  if (!LeavesOriginOpen(options)) response.headers.emplace_back("vary", "origin");
}

}  // namespace

HttpResponse MakeCallHead(Wire wire, const Options& options) {
  HttpResponse response;
  if (wire == Wire::kGrpc) {
    response.content_type = "application/grpc";
    return response;
  }
  response.content_type = wire == Wire::kWeb ? "application/grpc-web+proto" : "application/grpc-web-text+proto";
  if (!options.web_allow_origin.empty()) {
    AppendAllowOrigin(options, response);
    response.headers.emplace_back("access-control-expose-headers", kWebHeadersRead);
  }
  return response;
}

base::BufferSlice WebTrailersFrame(const Trailers& trailers) {
  std::string text;
  for (const auto& [name, value] : trailers) {
    for (const char c : name) text += base::LowerAscii(c);
    text += ": ";
    for (const char c : value) text += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
    text += "\r\n";
  }
  boost::container::small_vector<base::BufferSlice, 2> frame;
  Message message;
  message.emplace_back(base::Buffer::CopyOf(text));
  AppendFrame(std::move(message), FrameFlag::kTrailers, frame);
  if (frame.size() == 1) return std::move(frame[0]);
  return base::BufferSlice(base::Buffer::CopyOf(std::string(frame[0].view()) + text));
}

std::optional<HttpResponse> AnswerPreflight(const RequestHead& head, const Options& options) {
  if (head.method != net::Method::kOptions || options.web_allow_origin.empty()) return std::nullopt;
  if (!head.Find("origin").has_value() || head.Find("access-control-request-method") != "POST") return std::nullopt;
  HttpResponse response;
  response.status = 204;
  AppendAllowOrigin(options, response);
  response.headers.emplace_back("access-control-allow-methods", "POST");
  // Metadata may have any name, so all requested names are allowed; "*" would not cover "authorization".
  response.headers.emplace_back("access-control-allow-headers",
                                head.Find("access-control-request-headers").value_or(kWebHeadersSent));
  response.headers.emplace_back("access-control-max-age", "86400");
  return response;
}

}  // namespace inferd::net::grpc
