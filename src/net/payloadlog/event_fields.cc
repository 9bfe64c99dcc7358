#include "net/payloadlog/event_fields.h"

#include "base/text/utc_time.h"

namespace inferd::payloadlog {

namespace {

// Encodes spaces, quotes, percent signs and everything except printable ASCII (HTTP Protocol Binding, 3.1.3.2).
std::string Encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (c > ' ' && c <= '~' && c != '"' && c != '%') {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return encoded;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> EventFields(const EventOrigin& origin, const Payload& payload) {
  std::vector<std::pair<std::string, std::string>> fields = payload.fields;
  const auto add = [&fields](std::string_view name, std::string_view value) {
    if (!value.empty()) fields.emplace_back(name, Encoded(value));
  };
  add("Ce-Specversion", "1.0");
  add("Ce-Id", payload.id);
  add("Ce-Type", payload.kind == PayloadKind::kRequest ? kRequestEvent : kResponseEvent);
  add("Ce-Source", origin.source);
  add("Ce-Time", base::UtcTimeText(payload.wall_ns));
  add("Ce-Subject", payload.subject);
  add("Ce-Traceparent", payload.traceparent);
  add("Ce-Inferenceservicename", origin.inference_service);
  add("Ce-Namespace", origin.namespace_name);
  add("Ce-Component", origin.component);
  add("Ce-Endpoint", origin.endpoint);
  return fields;
}

}  // namespace inferd::payloadlog
