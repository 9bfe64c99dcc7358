#include "serving/tracing/recorded_trace.h"

#include <cstring>
#include <random>
#include <utility>

#include "base/mix_bits.h"
#include "base/text/hex.h"
#include "base/text/printable.h"
#include "data/json/writer.h"
#include "data/tensorjson/write.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tracing {

namespace {

using config::TraceLevel;

// The maximum text of a tensor: a trace is for people, and uses memory.
constexpr size_t kDataBytesMax = 1 << 20;
// An element's text is longer than the element, by about this factor at most.
constexpr size_t kTensorBytesMax = kDataBytesMax / 4;
constexpr size_t kEventsMax = 4096;
constexpr size_t kTensorsMax = 1024;
// A separate limit: an engine's activities cannot displace the server's.
constexpr size_t kCustomsMax = 1024;
constexpr size_t kCustomBytesMax = 64;

uint64_t MakeSeed() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

template <typename Id>
void Fill(Id& id, size_t at, uint64_t bits) {
  std::memcpy(id.data() + at, &bits, sizeof bits);
}

std::string ShapeText(const tensor::Shape& shape) {
  std::string text;
  for (const int64_t dim : shape.dims()) text += (text.empty() ? "" : ",") + std::to_string(dim);
  return text;
}

// Returns the elements as in JSON, without the brackets around them.
std::string DataText(const core::InferTensor& tensor) {
  if (tensor.data.size() > kTensorBytesMax) return "...";
  if (!tensor.data.place().readable()) return "...";
  json::Writer writer;
  tensorjson::WriteOptions options;
  base::Status written = tensorjson::WriteData(writer, tensor.datatype, tensor.shape, tensor.data.bytes(), options);
  if (!written.ok()) {
    writer = json::Writer();
    options.base64 = true;
    written = tensorjson::WriteData(writer, tensor.datatype, tensor.shape, tensor.data.bytes(), options);
  }
  const std::string text = writer.TakeString();
  if (!written.ok() || text.size() < 2 || text.size() > kDataBytesMax) return "...";
  return text.substr(1, text.size() - 2);
}

// Returns the `traceparent`. It always says "sampled", as this trace is recorded.
std::string TraceparentAt(const TraceRecord& record) {
  if (record.trace == TraceId{}) return {};
  std::string text = "00-";
  for (const uint8_t byte : record.trace) base::AppendHex(text, byte, 2);
  text += '-';
  for (const uint8_t byte : record.compute_span) base::AppendHex(text, byte, 2);
  return text + "-01";
}

}  // namespace

TraceHome::TraceHome(const base::Clock& clock, std::unique_ptr<TraceExporter> exporter,
                     const ExportQueue::Limits& limits, ExportQueue::Counters counters)
    : clock_(clock), seed_(MakeSeed()), queue_(std::move(exporter), limits, std::move(counters)) {}

// Other processes have other seeds.
uint64_t TraceHome::Random() {
  const uint64_t drawn = drawn_.fetch_add(1, std::memory_order_relaxed) + 1;
  return base::MixBits(seed_ + drawn * base::kMixStep) | 1;  // never 0, which is not a valid id
}

TraceId TraceHome::MakeTraceId() {
  TraceId id;
  Fill(id, 0, Random());
  Fill(id, sizeof(uint64_t), Random());
  return id;
}

SpanId TraceHome::MakeSpanId() {
  SpanId id;
  Fill(id, 0, Random());
  return id;
}

RecordedTrace::RecordedTrace(std::shared_ptr<TraceHome> home, TraceRecord record, config::TraceLevel level)
    : home_(std::move(home)), level_(level), traceparent_(TraceparentAt(record)), record_(std::move(record)) {}

RecordedTrace::~RecordedTrace() {
  base::MutexLock lock(mutex_);
  home_->queue().Put(std::move(record_));
}

void RecordedTrace::Add(core::TraceActivity activity, int64_t at_ns) {
  if (level_ == TraceLevel::kTensors) return;
  base::MutexLock lock(mutex_);
  if (record_.events.size() < kEventsMax) record_.events.push_back({.activity = activity, .at_ns = at_ns});
}

void RecordedTrace::AddCustom(std::string_view name) {
  if (level_ == TraceLevel::kTensors || name.empty() || !base::IsPrintable(name)) return;
  TraceEvent event{.activity = core::TraceActivity::kCustom,
                   .at_ns = home_->clock().NowNs(),
                   .name = std::string(name.substr(0, kCustomBytesMax))};
  base::MutexLock lock(mutex_);
  if (customs_++ < kCustomsMax) record_.events.push_back(std::move(event));
}

void RecordedTrace::AddTensor(core::TraceActivity activity, const core::InferTensor& tensor) {
  if (level_ == TraceLevel::kTimestamps) return;
  TraceTensor written{.activity = activity,
                      .name = tensor.name,
                      .data = DataText(tensor),
                      .shape = ShapeText(tensor.shape),
                      .datatype = tensor::DataTypeName(tensor.datatype)};
  base::MutexLock lock(mutex_);
  if (record_.tensors.size() < kTensorsMax) record_.tensors.push_back(std::move(written));
}

std::shared_ptr<core::RequestTrace> RecordedTrace::Child(std::string_view model, std::string_view version) {
  TraceRecord child{.model = std::string(model), .version = std::string(version), .request_id = {}};
  {
    base::MutexLock lock(mutex_);
    child.parent_id = record_.id;
    child.request_id = record_.request_id;
    child.log_frequency = record_.log_frequency;
    child.trace = record_.trace;
    child.parent_span = record_.model_span;
  }
  child.id = home_->NextId();
  child.model_span = home_->MakeSpanId();
  child.compute_span = home_->MakeSpanId();
  return std::make_shared<RecordedTrace>(home_, std::move(child), level_);
}

}  // namespace inferd::tracing
