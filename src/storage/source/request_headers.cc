#include "storage/source/request_headers.h"

#include <algorithm>
#include <string_view>

#include "base/text/http_token.h"
#include "data/json/read.h"

namespace inferd::storage {

namespace {

// Returns true if a header's text is valid: a line end would start another header.
bool IsHeaderValue(std::string_view value) {
  return std::ranges::none_of(value, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

}  // namespace

base::Result<std::vector<std::pair<std::string, std::string>>> ReadRequestHeaders(const std::string& name,
                                                                                  const std::string& json) {
  std::vector<std::pair<std::string, std::string>> headers;
  const base::Status status =
      json::ReadWholeObject(json, [&](json::Reader& reader, std::string_view key) -> base::Status {
        std::string value;
        std::string header(key);
        INFERD_RETURN_IF_ERROR(json::ReadText(reader, value));
        if (!base::IsToken(header) || !IsHeaderValue(value)) return base::InvalidArgument("it has what is no header");
        headers.emplace_back(std::move(header), std::move(value));
        return {};
      });
  if (status.ok()) return headers;
  // The reader's own message may quote a secret.
  return std::unexpected(base::InvalidArgument(name + " is no JSON object of HTTP headers"));
}

}  // namespace inferd::storage
