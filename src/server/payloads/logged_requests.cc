#include "server/payloads/logged_requests.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string_view>

#include "net/payloadlog/http_sink.h"

namespace inferd::server {

namespace {

// These limits keep a blocked sink from delaying the server's end for too long.
constexpr std::chrono::milliseconds kSinkTimeout{4'000};
constexpr std::chrono::milliseconds kDrainMax{3'000};

// The names of inferences: last path segments over HTTP, verbs after a model's name, and gRPC methods.
constexpr std::array<std::string_view, 4> kLastSegments = {"infer", "generate", "generate_stream", "invocations"};
constexpr std::array<std::string_view, 4> kInferenceVerbs = {"predict", "explain", "classify", "regress"};
constexpr std::array<std::string_view, 6> kInferenceMethods = {"ModelInfer", "Predict",        "Classify",
                                                               "Regress",    "MultiInference", "Infer"};

bool IsAmong(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

base::Result<payloadlog::PayloadLog::SinkMaker> MakeSinks(const config::PayloadLogOptions& options) {
  if (options.url.empty()) return payloadlog::PayloadLog::SinkMaker();
  const payloadlog::EventOrigin origin{.source = options.source,
                                       .inference_service = options.inference_service,
                                       .namespace_name = options.namespace_name,
                                       .component = options.component,
                                       .endpoint = options.endpoint};
  const auto make = [url = options.url, origin] { return payloadlog::HttpSink::Create(url, origin, kSinkTimeout); };
  if (const auto tried = make(); !tried.has_value()) {
    return std::unexpected(tried.error().WithContext("--payload-log-url"));
  }
  return [make] { return *make(); };
}

std::unique_ptr<payloadlog::PayloadLog> MakePayloadLog(const config::PayloadLogOptions& options,
                                                       const payloadlog::PayloadLog::SinkMaker& sinks,
                                                       metrics::Registry& registry, base::Logger& logger) {
  if (sinks == nullptr) return nullptr;
  payloadlog::PayloadLogOptions log;
  switch (options.mode) {
    case config::PayloadLogMode::kAll: log.mode = payloadlog::LogMode::kAll; break;
    case config::PayloadLogMode::kRequest: log.mode = payloadlog::LogMode::kRequest; break;
    case config::PayloadLogMode::kResponse: log.mode = payloadlog::LogMode::kResponse; break;
  }
  log.payloads_max = options.queue_max;
  log.bytes_max = options.bytes_max;
  log.workers = options.workers;
  log.drain_max = kDrainMax;
  return std::make_unique<payloadlog::PayloadLog>(log, sinks, registry, logger);
}

bool IsInference(const net::RequestHead& head) {
  if (head.method != net::Method::kPost || head.segments.empty()) return false;
  const std::string_view last = head.segments.back();
  if (head.segments.size() == 2 && IsAmong(kInferenceMethods, last)) return true;
  if (IsAmong(kLastSegments, last)) return true;
  if (head.segments.size() > 2 && head.segments[0] == "api" && head.segments[1] == "infer") return true;
  const size_t colon = last.rfind(':');
  return colon != std::string_view::npos && IsAmong(kInferenceVerbs, last.substr(colon + 1));
}

}  // namespace inferd::server
