#include "protocols/oip_http/codec/infer_headers.h"

#include <charconv>
#include <string>

#include "base/text/ascii_case.h"

namespace inferd::oip_http {

namespace {

constexpr std::string_view kJsonLength = "Inference-Header-Content-Length";

// The fields that belong to an inference. The first of a name counts.
struct Fields {
  std::optional<std::string_view> json_length;
  std::optional<std::string_view> encoding;
  std::optional<std::string_view> accepted_encodings;
  std::optional<std::string_view> accepted;
  bool has_two_json_lengths = false;
};

// Reads all of them in one pass. Few names have one of these lengths.
Fields FindFields(const net::RequestHead& head) {
  Fields found;
  const auto take = [](auto& field, const auto& header, std::string_view name) {
    if (!field.has_value() && base::EqualWithoutCase(header.first, name)) field = header.second;
  };
  for (const auto& header : head.headers) {
    switch (header.first.size()) {
      case 6: take(found.accepted, header, "Accept"); break;
      case 15: take(found.accepted_encodings, header, "Accept-Encoding"); break;
      case 16: take(found.encoding, header, "Content-Encoding"); break;
      case kJsonLength.size():
        found.has_two_json_lengths |=
            found.json_length.has_value() && base::EqualWithoutCase(header.first, kJsonLength);
        take(found.json_length, header, kJsonLength);
        break;
      default: break;
    }
  }
  return found;
}

base::Result<std::optional<uint64_t>> ReadJsonLength(const Fields& fields) {
  if (!fields.json_length.has_value()) return std::nullopt;
  const std::string_view value = *fields.json_length;
  uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [parsed, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || parsed != end) {
    return std::unexpected(base::InvalidArgument("header " + std::string(kJsonLength) +
                                                 ": expected an unsigned integer, got '" +
                                                 std::string(value.substr(0, 64)) + "'"));
  }
  if (fields.has_two_json_lengths) {
    return std::unexpected(base::InvalidArgument("header " + std::string(kJsonLength) + " stands more than once"));
  }
  return number;
}

}  // namespace

base::Result<InferHeaders> ReadInferHeaders(const net::RequestHead& head, bool& unknown_coding) {
  unknown_coding = false;
  const Fields fields = FindFields(head);
  InferHeaders headers;
  INFERD_ASSIGN_OR_RETURN(headers.json_bytes, ReadJsonLength(fields));
  if (fields.encoding) {
    const std::optional<net::ContentCoding> coding = net::ParseContentCoding(*fields.encoding);
    if (!coding) {
      unknown_coding = true;
      return std::unexpected(base::InvalidArgument("Content-Encoding: expected gzip, deflate or identity, got '" +
                                                   std::string(fields.encoding->substr(0, 64)) + "'"));
    }
    headers.coding = *coding;
  }
  if (fields.accepted_encodings) headers.answer = net::NegotiateContentCoding(*fields.accepted_encodings);
  if (fields.accepted && *fields.accepted != "*/*") {
    headers.events = rest::AcceptedEventForm(*fields.accepted);
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

base::Status CheckInputSize(uint64_t bytes, uint64_t bytes_max, bool raw, std::string_view option) {
  if (bytes_max == 0 || bytes <= bytes_max) return {};
  const std::string size = std::to_string(bytes);
  const std::string most = std::to_string(bytes_max) + " bytes. Use " + std::string(option) + " to increase the limit.";
  if (raw) {
    return base::InvalidArgument("Raw input has a byte_size (" + size +
                                 " bytes) that exceeds the maximum allowed value of " + most);
  }
  return base::InvalidArgument("request JSON size of " + size + " bytes exceeds the maximum allowed input size of " +
                               most);
}

}  // namespace inferd::oip_http
