#include "net/http2/stream/response_fields.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/ascii_case.h"

namespace inferd::net::http2 {

namespace {

constexpr uint8_t kLiteralName = NGHTTP2_NV_FLAG_NO_COPY_NAME;
constexpr uint8_t kLiteral = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;

bool EndsALine(char c) { return c == '\r' || c == '\n' || c == '\0'; }

bool BelongsToConnection(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "content-length", "date"};
  for (const std::string_view known : kNames) {
    if (base::EqualWithoutCase(name, known)) return true;
  }
  return false;
}

}  // namespace

ResponseFields::ResponseFields(const HttpResponse& response, std::optional<uint64_t> content_length,
                               std::string_view date, std::string_view request_id, const HeaderList* answer_headers) {
  status_[0] = static_cast<char>('0' + response.status / 100 % 10);
  status_[1] = static_cast<char>('0' + response.status / 10 % 10);
  status_[2] = static_cast<char>('0' + response.status % 10);
  Add(":status", {status_, 3}, kLiteralName);
  if (!response.content_type.empty()) Add("content-type", response.content_type, kLiteral);
  AddAll(response.headers);
  if (answer_headers != nullptr) AddAll(*answer_headers);
  // Each value is unique, so it must not use the compression's table.
  if (!request_id.empty()) Add("x-request-id", request_id, kLiteralName | NGHTTP2_NV_FLAG_NO_INDEX);
  if (content_length.has_value()) {
    const auto end = std::to_chars(length_, length_ + sizeof length_, *content_length).ptr;
    Add("content-length", {length_, static_cast<size_t>(end - length_)}, kLiteralName);
  }
  if (!date.empty()) Add("date", date, kLiteralName);
}

ResponseFields::ResponseFields(const Trailers& trailers) { AddAll(trailers); }

void ResponseFields::AddAll(const HeaderList& headers) {
  for (const auto& [name, value] : headers) {
    if (!BelongsToConnection(name)) Add(InLowerCase(name), WithoutLineEnds(value));
  }
}

std::string_view ResponseFields::InLowerCase(std::string_view name) {
  const bool lower = std::ranges::none_of(name, [](char c) { return base::LowerAscii(c) != c; });
  return lower ? name : Mended(name, base::LowerAscii);
}

std::string_view ResponseFields::WithoutLineEnds(std::string_view value) {
  if (std::ranges::none_of(value, EndsALine)) return value;
  return Mended(value, [](char c) { return EndsALine(c) ? ' ' : c; });
}

template <typename Change>
std::string_view ResponseFields::Mended(std::string_view text, Change change) {
  std::string& copy = mended_.emplace_front(text);
  std::ranges::transform(copy, copy.begin(), change);
  return copy;
}

void ResponseFields::Add(std::string_view name, std::string_view value, uint8_t flags) {
  // nghttp2 takes pointers to non-const, but does not write through them.
  fields_.push_back({.name = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
                     .value = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
                     .namelen = name.size(),
                     .valuelen = value.size(),
                     .flags = flags});
}

}  // namespace inferd::net::http2
