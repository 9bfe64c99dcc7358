#include "net/payloadlog/payload_fields.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/clock.h"
#include "base/text/ascii_case.h"
#include "base/text/uuid.h"

namespace inferd::payloadlog {

namespace {

// The fields that a reader of the body needs; the third belongs to V2's binary data extension.
constexpr std::array<std::string_view, 3> kKept = {"Content-Type", "Content-Encoding",
                                                   "Inference-Header-Content-Length"};

bool IsKept(std::string_view name) {
  return std::ranges::any_of(kKept, [name](std::string_view kept) { return base::EqualWithoutCase(kept, name); });
}

std::string IdOf(const net::RequestHead& head) {
  if (const auto id = head.Find("Ce-Id"); id.has_value() && net::IsRequestId(*id)) return std::string(*id);
  return head.request_id.empty() ? base::NewUuid() : std::string(head.request_id);
}

}  // namespace

Payload RequestPayload(const net::RequestHead& head) {
  Payload payload;
  payload.id = IdOf(head);
  payload.subject = head.target.substr(0, head.target.find('?'));
  payload.traceparent = head.Find("traceparent").value_or("");
  payload.wall_ns = base::SystemClock().WallNs();
  for (const std::string_view name : kKept) {
    if (const auto value = head.Find(name)) payload.fields.emplace_back(name, *value);
  }
  return payload;
}

std::vector<std::pair<std::string, std::string>> ResponseFields(const net::HttpResponse& response) {
  std::vector<std::pair<std::string, std::string>> fields;
  if (!response.content_type.empty()) fields.emplace_back("Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers) {
    if (IsKept(name)) fields.emplace_back(name, value);
  }
  return fields;
}

}  // namespace inferd::payloadlog
