#include "serving/tracing/tracer.h"

#include <charconv>
#include <utility>

#include "serving/tracing/otlp_exporter.h"
#include "serving/tracing/trace_file.h"

namespace inferd::tracing {

namespace {

using config::TraceLevel;
using config::TraceMode;
using core::TraceActivity;

// No server has more models: more settings are a client's mistake.
constexpr size_t kModelsMax = 10'000;
constexpr size_t kFileRecordsMax = 65'536;

TraceSettings SettingsOf(const config::TraceOptions& options) {
  return {.level = options.level, .rate = options.rate, .count = options.count, .log_frequency = options.log_frequency};
}

ExportQueue::Limits LimitsOf(const config::TraceOptions& options) {
  if (options.mode == TraceMode::kFile) return {.records_max = kFileRecordsMax};
  return {.records_max = options.otlp_queue_max, .batch_max = options.otlp_batch_max, .delay = options.otlp_delay};
}

Attributes ResourceOf(const config::TraceOptions& options) {
  Attributes resource = {{"service.name", "inferd"}};
  for (const std::string& text : options.otlp_resource) {
    const size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    std::erase_if(resource, [&key](const auto& attribute) { return attribute.first == key; });
    resource.emplace_back(key, equals == std::string::npos ? "" : text.substr(equals + 1));
  }
  return resource;
}

// For a server without a trace file, where nothing can be traced.
class NoExporter final : public TraceExporter {
 public:
  bool Export(std::vector<TraceRecord>) override { return false; }
};

template <typename Id>
void ReadHex(std::string_view text, Id& id) {
  for (size_t i = 0; i < id.size(); ++i) {
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, id[i], 16);
  }
}

}  // namespace

base::Result<std::unique_ptr<TraceExporter>> MakeExporter(const config::TraceOptions& options, base::Logger& logger) {
  if (options.mode == TraceMode::kOtlp) {
    INFERD_ASSIGN_OR_RETURN(auto otlp, OtlpExporter::Create(options.otlp_url, ResourceOf(options), logger));
    return otlp;
  }
  if (options.file.empty()) return std::make_unique<NoExporter>();
  return std::make_unique<TraceFile>(options.file, logger);
}

ExportQueue::Counters CountersIn(metrics::Registry& registry) {
  return {.exported = registry.AddCounter("inferd_traces_exported_total",
                                          "Traces that were written, or taken by a collector", {}),
          .dropped = registry.AddCounter("inferd_traces_dropped_total", "Traces that were lost", {})};
}

Tracer::Tracer(const config::TraceOptions& options, const base::Clock& clock, std::unique_ptr<TraceExporter> exporter,
               ExportQueue::Counters counters)
    : options_(options),
      initial_(SettingsOf(options)),
      home_(std::make_shared<TraceHome>(clock, std::move(exporter), LimitsOf(options), std::move(counters))),
      sampler_(initial_) {
  TurnOn(initial_.on());
}

core::Tracing::Settings Tracer::InForce(std::string_view model) const {
  TraceSettings settings;
  {
    base::MutexLock lock(mutex_);
    const auto found = models_.find(model);
    settings = found == models_.end() ? ForAllLocked() : found->second.overrides.Over(ForAllLocked());
    settings.count = found == models_.end() ? sampler_.left() : found->second.sampler->left();
  }
  Settings all = Describe(settings);
  if (options_.mode == TraceMode::kFile) {
    all.push_back({"trace_file", {options_.file}});
    all.push_back({"trace_mode", {"triton"}});
    return all;
  }
  all.push_back({"trace_mode", {"opentelemetry"}});
  all.push_back({"url", {options_.otlp_url}});
  all.push_back({"bsp_max_queue_size", {std::to_string(options_.otlp_queue_max)}});
  all.push_back({"bsp_schedule_delay", {std::to_string(options_.otlp_delay.count())}});
  all.push_back({"bsp_max_export_batch_size", {std::to_string(options_.otlp_batch_max)}});
  for (const std::string& attribute : options_.otlp_resource) all.push_back({"resource", {attribute}});
  return all;
}

base::Status Tracer::CheckLevel(const TraceSettings& settings) const {
  if (settings.level == TraceLevel::kOff || options_.mode == TraceMode::kOtlp || !options_.file.empty()) return {};
  return base::InvalidArgument("trace setting 'trace_level': the server was started without a trace file");
}

base::Status Tracer::Change(std::string_view model, const Changes& changes) {
  if (changes.empty()) return {};
  base::MutexLock lock(mutex_);
  INFERD_RETURN_IF_ERROR(model.empty() ? ChangeForAllLocked(changes) : ChangeOfModelLocked(model, changes));
  bool on = sampler_.on();
  for (const auto& [name, each] : models_) on |= each.sampler->on();
  models_differ_.store(!models_.empty(), std::memory_order_relaxed);
  TurnOn(on);
  return {};
}

base::Status Tracer::ChangeForAllLocked(const Changes& changes) {
  TraceOverrides changed = overrides_;
  if (changed.count.has_value()) changed.count = sampler_.left();
  INFERD_RETURN_IF_ERROR(Apply(changes, changed));
  INFERD_RETURN_IF_ERROR(CheckLevel(changed.Over(initial_)));
  overrides_ = changed;
  sampler_.Set(ForAllLocked());
  for (auto& [name, model] : models_) {
    if (model.overrides.count.has_value()) model.overrides.count = model.sampler->left();
    model.sampler = std::make_unique<Sampler>(model.overrides.Over(ForAllLocked()));
  }
  return {};
}

base::Status Tracer::ChangeOfModelLocked(std::string_view model, const Changes& changes) {
  const auto found = models_.find(model);
  TraceOverrides changed = found == models_.end() ? TraceOverrides() : found->second.overrides;
  if (changed.count.has_value()) changed.count = found->second.sampler->left();
  INFERD_RETURN_IF_ERROR(Apply(changes, changed));
  TraceSettings for_all = ForAllLocked();
  for_all.count = sampler_.left();
  INFERD_RETURN_IF_ERROR(CheckLevel(changed.Over(for_all)));
  if (changed.empty()) {
    if (found != models_.end()) models_.erase(found);
    return {};
  }
  if (found == models_.end() && models_.size() >= kModelsMax) {
    return base::ResourceExhausted("no more models can have trace settings of their own");
  }
  OfModel& own = found != models_.end() ? found->second : models_[std::string(model)];
  own.overrides = changed;
  own.sampler = std::make_unique<Sampler>(changed.Over(for_all));
  return {};
}

std::shared_ptr<core::RequestTrace> Tracer::Sample(const core::TraceSubject& subject) {
  const bool traced_elsewhere = options_.mode == TraceMode::kOtlp && !subject.traceparent.empty();
  TraceLevel level = TraceLevel::kOff;
  uint64_t log_frequency = 0;
  const auto take = [&](Sampler& sampler) {
    if (!sampler.Take(traced_elsewhere)) return false;
    level = sampler.level();
    log_frequency = sampler.log_frequency();
    return true;
  };
  if (models_differ_.load(std::memory_order_relaxed)) {
    base::MutexLock lock(mutex_);
    const auto found = models_.find(subject.model);
    if (!take(found == models_.end() ? sampler_ : *found->second.sampler)) return nullptr;
  } else if (!take(sampler_)) {
    return nullptr;
  }
  if (options_.mode == TraceMode::kOtlp) level = TraceLevel::kTimestamps;  // spans cannot hold tensors
  TraceRecord record = MakeRecord(subject);
  record.log_frequency = log_frequency;
  auto trace = std::make_shared<RecordedTrace>(home_, std::move(record), level);
  const bool http = subject.transport == core::TraceSubject::Transport::kHttp;
  trace->Add(http ? TraceActivity::kHttpRecvStart : TraceActivity::kGrpcWaitReadStart, subject.received_ns);
  trace->AddNow(http ? TraceActivity::kHttpRecvEnd : TraceActivity::kGrpcWaitReadEnd);
  return trace;
}

TraceRecord Tracer::MakeRecord(const core::TraceSubject& subject) {
  TraceRecord record{.id = home_->NextId(),
                     .model = std::string(subject.model),
                     .version = std::string(subject.version),
                     .request_id = std::string(subject.request_id)};
  if (options_.mode == TraceMode::kFile) return record;
  // 00-<32 hex>-<16 hex>-<2 hex>
  constexpr size_t kTraceAt = 3, kSpanAt = 36, kSize = 55;
  if (subject.traceparent.size() >= kSize) {
    ReadHex(subject.traceparent.substr(kTraceAt), record.trace);
    ReadHex(subject.traceparent.substr(kSpanAt), record.parent_span);
  } else {
    record.trace = home_->MakeTraceId();
  }
  record.request_span = home_->MakeSpanId();
  record.model_span = home_->MakeSpanId();
  record.compute_span = home_->MakeSpanId();
  return record;
}

}  // namespace inferd::tracing
