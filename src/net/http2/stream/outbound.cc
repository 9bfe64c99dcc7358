#include "net/http2/stream/outbound.h"

#include <ctime>

#include "net/http2/stream/requests.h"
#include "net/http2/stream/response_fields.h"

namespace inferd::net::http2 {

void Outbound::SubmitContinue(int32_t id) {
  HttpResponse response;
  response.status = 100;
  const ResponseFields fields(response, std::nullopt, "");
  nghttp2_submit_headers(link_.session, NGHTTP2_FLAG_NONE, id, nullptr, fields.data(), fields.size(), nullptr);
}

void Outbound::SubmitResponse(int32_t id, const HttpResponse& response, const Additions& additions, bool has_body) {
  if (link_.failed) return;
  const bool grpc = IsGrpcType(response.content_type);  // gRPC servers send neither Date nor Content-Length
  const ResponseFields fields(response, grpc ? std::nullopt : additions.content_length, grpc ? "" : Date(),
                              additions.request_id, additions.answer_headers);
  const int error =
      nghttp2_submit_response(link_.session, id, fields.data(), fields.size(), has_body ? &body_source_ : nullptr);
  if (error != 0) Reset(id, NGHTTP2_INTERNAL_ERROR);
  link_.host.WantWrite();
}

void Outbound::SubmitTrailers(int32_t id, const Trailers& trailers) {
  const ResponseFields fields(trailers);
  const int error = nghttp2_submit_trailer(link_.session, id, fields.data(), fields.size());
  if (error != 0) Reset(id, NGHTTP2_INTERNAL_ERROR);
}

void Outbound::Resume(int32_t id) {
  if (link_.failed) return;
  nghttp2_session_resume_data(link_.session, id);
  link_.host.WantWrite();
}

void Outbound::Consume(int32_t id, size_t bytes) {
  if (link_.failed) return;
  nghttp2_session_consume_stream(link_.session, id, bytes);
  link_.host.WantWrite();
}

void Outbound::Reset(int32_t id, uint32_t error_code) {
  if (link_.failed) return;
  nghttp2_submit_rst_stream(link_.session, NGHTTP2_FLAG_NONE, id, error_code);
  link_.host.WantWrite();
}

std::string_view Outbound::Date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_s_) {
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    date_.assign(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc));
    date_s_ = now;
  }
  return date_;
}

}  // namespace inferd::net::http2
