#include "serving/tracing/otlp_json.h"

#include <algorithm>
#include <string_view>

#include "base/text/hex.h"
#include "data/json/writer.h"

namespace inferd::tracing {

namespace {

using core::TraceActivity;

enum class Kind { kInternal = 1, kServer = 2 };

template <typename Id>
std::string Hex(const Id& id) {
  std::string text;
  for (const uint8_t byte : id) base::AppendHex(text, byte, 2);
  return text;
}

void WriteAttributes(json::Writer& writer, const Attributes& attributes) {
  writer.Key("attributes");
  writer.BeginArray();
  for (const auto& [key, value] : attributes) {
    writer.BeginObject();
    writer.Member("key", key);
    writer.Key("value");
    writer.BeginObject();
    writer.Member("stringValue", value);
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
}

bool OfTransport(TraceActivity activity) {
  switch (activity) {
    case TraceActivity::kHttpRecvStart:
    case TraceActivity::kHttpRecvEnd:
    case TraceActivity::kGrpcWaitReadStart:
    case TraceActivity::kGrpcWaitReadEnd:
    case TraceActivity::kHttpSendStart:
    case TraceActivity::kHttpSendEnd:
    case TraceActivity::kGrpcSendStart:
    case TraceActivity::kGrpcSendEnd: return true;
    default: return false;
  }
}

bool OfCompute(TraceActivity activity) {
  switch (activity) {
    case TraceActivity::kComputeStart:
    case TraceActivity::kComputeInputEnd:
    case TraceActivity::kComputeOutputStart:
    case TraceActivity::kCustom:
    case TraceActivity::kComputeEnd: return true;
    default: return false;
  }
}

// A span lasts at least as long as those that it contains.
struct Span {
  std::string_view name;
  Kind kind = Kind::kInternal;
  SpanId id = {};
  SpanId parent = {};
  std::vector<TraceEvent> events = {};
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

class SpanWriter final {
 public:
  SpanWriter(json::Writer& writer, int64_t wall_offset_ns) : writer_(writer), wall_offset_ns_(wall_offset_ns) {}

  void Write(const TraceRecord& record, const Span& span, const Attributes& attributes) {
    writer_.BeginObject();
    writer_.Member("traceId", Hex(record.trace));
    writer_.Member("spanId", Hex(span.id));
    if (span.parent != SpanId{}) writer_.Member("parentSpanId", Hex(span.parent));
    writer_.Member("name", span.name);
    writer_.Member("kind", static_cast<int>(span.kind));
    // In the JSON of Protocol Buffers, 64-bit integers are strings.
    writer_.Member("startTimeUnixNano", Wall(span.begin_ns));
    writer_.Member("endTimeUnixNano", Wall(span.end_ns));
    WriteAttributes(writer_, attributes);
    writer_.Key("events");
    writer_.BeginArray();
    for (const TraceEvent& event : span.events) {
      writer_.BeginObject();
      writer_.Member("timeUnixNano", Wall(event.at_ns));
      writer_.Member("name", EventName(event));
      writer_.EndObject();
    }
    writer_.EndArray();
    writer_.EndObject();
  }

 private:
  std::string Wall(int64_t at_ns) const { return std::to_string(at_ns + wall_offset_ns_); }

  json::Writer& writer_;
  const int64_t wall_offset_ns_;
};

template <typename Of>
std::vector<TraceEvent> EventsThat(const std::vector<TraceEvent>& events, Of of) {
  std::vector<TraceEvent> kept;
  for (const TraceEvent& event : events) {
    if (of(event.activity)) kept.push_back(event);
  }
  return kept;
}

void WriteSpans(SpanWriter& writer, const TraceRecord& record) {
  std::vector<TraceEvent> events = record.events;
  if (events.empty()) return;
  std::ranges::stable_sort(events, {}, &TraceEvent::at_ns);
  const bool from_client = record.parent_id == 0;
  const auto bounded = [](Span span) {
    span.begin_ns = span.events.front().at_ns;
    span.end_ns = span.events.back().at_ns;
    return span;
  };
  const Attributes attributes = {{"triton.model_name", record.model},
                                 {"triton.model_version", record.version},
                                 {"triton.request_id", record.request_id},
                                 {"triton.trace_id", std::to_string(record.id)},
                                 {"triton.trace_parent_id", std::to_string(record.parent_id)}};
  if (from_client) {
    Span request{.name = "InferRequest",
                 .kind = Kind::kServer,
                 .id = record.request_span,
                 .parent = record.parent_span,
                 .events = EventsThat(events, OfTransport)};
    request.begin_ns = events.front().at_ns;
    request.end_ns = events.back().at_ns;
    writer.Write(record, request, attributes);
  }
  const auto of_model = [](TraceActivity activity) { return !OfTransport(activity) && !OfCompute(activity); };
  Span model{.name = record.model,
             .id = record.model_span,
             .parent = from_client ? record.request_span : record.parent_span,
             .events = EventsThat(events, of_model)};
  if (model.events.empty()) return;
  writer.Write(record, bounded(std::move(model)), attributes);
  Span compute{.name = "compute",
               .id = record.compute_span,
               .parent = record.model_span,
               .events = EventsThat(events, OfCompute)};
  if (compute.events.empty()) return;
  writer.Write(record, bounded(std::move(compute)), {});
}

}  // namespace

std::string OtlpJson(std::span<const TraceRecord> records, const Attributes& resource, int64_t wall_offset_ns) {
  json::Writer writer(records.size() * 2048);
  writer.BeginObject();
  writer.Key("resourceSpans");
  writer.BeginArray();
  writer.BeginObject();
  writer.Key("resource");
  writer.BeginObject();
  WriteAttributes(writer, resource);
  writer.EndObject();
  writer.Key("scopeSpans");
  writer.BeginArray();
  writer.BeginObject();
  writer.Key("scope");
  writer.BeginObject();
  writer.Member("name", "inferd");
  writer.EndObject();
  writer.Key("spans");
  writer.BeginArray();
  SpanWriter spans(writer, wall_offset_ns);
  for (const TraceRecord& record : records) WriteSpans(spans, record);
  writer.EndArray();
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();
  return writer.TakeString();
}

}  // namespace inferd::tracing
