#include "net/http/http.h"

#include <algorithm>

#include "base/text/ascii_case.h"

namespace inferd::net {

std::optional<std::string_view> RequestHead::Find(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (base::EqualWithoutCase(key, name)) return value;
  }
  return std::nullopt;
}

void RequestHead::TakeRequestId(std::string_view value) {
  if (request_id.empty() && IsRequestId(value)) request_id = value;
}

bool IsRequestId(std::string_view text) {
  constexpr size_t kBytesMax = 128;
  return !text.empty() && text.size() <= kBytesMax &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

HttpResponse HttpResponse::Text(int status, std::string_view content_type, std::string_view body) {
  HttpResponse response;
  response.status = status;
  response.content_type = content_type;
  if (!body.empty()) response.body.emplace_back(base::Buffer::CopyOf(body));
  return response;
}

}  // namespace inferd::net
