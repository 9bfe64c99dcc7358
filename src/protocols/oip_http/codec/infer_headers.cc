#include "protocols/oip_http/codec/infer_headers.h"

#include <charconv>
#include <string>

#include "base/text/ascii_case.h"

namespace inferd::oip_http {

namespace {

constexpr std::string_view kJsonLength = "Inference-Header-Content-Length";

base::Result<std::optional<uint64_t>> ReadJsonLength(const net::RequestHead& head) {
  std::optional<uint64_t> length;
  for (const auto& [name, value] : head.headers) {
    if (!base::EqualWithoutCase(name, kJsonLength)) continue;
    uint64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [parsed, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || parsed != end) {
      return std::unexpected(base::InvalidArgument("header " + std::string(kJsonLength) +
                                                   ": expected an unsigned integer, got '" +
                                                   std::string(value.substr(0, 64)) + "'"));
    }
    if (length) {
      return std::unexpected(base::InvalidArgument("header " + std::string(kJsonLength) + " stands more than once"));
    }
    length = number;
  }
  return length;
}

}  // namespace

base::Result<InferHeaders> ReadInferHeaders(const net::RequestHead& head, bool& unknown_coding) {
  unknown_coding = false;
  InferHeaders headers;
  INFERD_ASSIGN_OR_RETURN(headers.json_bytes, ReadJsonLength(head));
  if (const auto encoding = head.Find("Content-Encoding")) {
    const std::optional<net::ContentCoding> coding = net::ParseContentCoding(*encoding);
    if (!coding) {
      unknown_coding = true;
      return std::unexpected(base::InvalidArgument("Content-Encoding: expected gzip, deflate or identity, got '" +
                                                   std::string(encoding->substr(0, 64)) + "'"));
    }
    headers.coding = *coding;
  }
  if (const auto accept = head.Find("Accept-Encoding")) headers.answer = net::NegotiateContentCoding(*accept);
  if (const auto accept = head.Find("Accept"); accept && *accept != "*/*") {
    headers.events = rest::AcceptedEventForm(*accept);
    if (headers.events != rest::EventForm::kNone) headers.answer = net::ContentCoding::kIdentity;
  }
  const bool plain = headers.coding == net::ContentCoding::kIdentity;
  if (plain && headers.json_bytes && head.content_length && *headers.json_bytes > *head.content_length) {
    return std::unexpected(base::InvalidArgument("inference header size should be in range (0, " +
                                                 std::to_string(*head.content_length) +
                                                 "), got: " + std::to_string(*headers.json_bytes)));
  }
  return headers;
}

}  // namespace inferd::oip_http
