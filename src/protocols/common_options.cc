#include "protocols/common_options.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/name_pattern.h"
#include "config/personality.h"

namespace inferd::protocol {

namespace {

// The pattern was checked together with the options.
std::optional<base::NamePattern> ForwardedHeaders(const std::string& pattern) {
  if (pattern.empty()) return std::nullopt;
  auto created = base::NamePattern::Create(pattern);
  return created.has_value() ? std::optional(*std::move(created)) : std::nullopt;
}

core::QueueFull QueueFullOf(const config::Personality& personality) {
  return {.code = personality.queue_full, .text = personality.queue_full_text, .timed_out = personality.queue_timeout};
}

}  // namespace

core::ResponseFlow::Limits StreamFlowOf(const config::ServerOptions& options) {
  const size_t responses = options.limits.stream_responses_max;
  const size_t bytes = options.limits.stream_bytes_max;
  // A model that does not pause when told to is given up beyond this multiple.
  constexpr size_t kResponses = 16;
  constexpr size_t kBytes = 64;
  return {.responses_held = responses,
          .bytes_held = bytes,
          .responses_max = responses * kResponses,
          .bytes_max = bytes * kBytes};
}

void SetRestOptions(const config::ServerOptions& options, rest::Options& rest) {
  std::ranges::copy(options.personality->http_status, rest.statuses.begin());
  rest.forwarded_headers = ForwardedHeaders(options.http_header_forward_pattern);
  rest.access_log = options.log.access;
  rest.queue_full = QueueFullOf(*options.personality);
  rest.stream_flow = StreamFlowOf(options);
  rest.body_bytes_max = options.limits.body_bytes_max;
  rest.json_bytes_max = options.limits.json_bytes_max;
  rest.json_depth_max = options.limits.json_depth_max;
  rest.compression_ratio_max = options.limits.decompression_ratio_max;
  rest.inference_timeout_ns = std::chrono::nanoseconds(options.limits.http_inference_timeout).count();
}

void SetRpcOptions(const config::ServerOptions& options, rpc::Options& rpc) {
  rpc.forwarded_metadata = ForwardedHeaders(options.grpc_header_forward_pattern);
  rpc.delays = options.grpc_calls.delays;
  rpc.access_log = options.log.access;
  rpc.queue_full = QueueFullOf(*options.personality);
}

}  // namespace inferd::protocol
