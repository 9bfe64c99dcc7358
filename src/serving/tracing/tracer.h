#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "config/options/trace_options.h"
#include "serving/core/tracing.h"
#include "serving/tracing/recorded_trace.h"
#include "serving/tracing/sampler.h"
#include "serving/tracing/trace_settings.h"

namespace inferd::tracing {

// What takes traces where the options say. INVALID_ARGUMENT: the collector's URL is none. `logger` outlives it.
base::Result<std::unique_ptr<TraceExporter>> MakeExporter(const config::TraceOptions& options, base::Logger& logger);

// inferd_traces_exported_total, inferd_traces_dropped_total.
ExportQueue::Counters CountersIn(metrics::Registry& registry);

// Decides which requests are traced, by settings that hold for all models and by those that a model has of its own.
// Thread-safe. Traces may outlive it.
class Tracer final : public core::Tracing {
 public:
  // `clock` outlives the tracer and its traces.
  Tracer(const config::TraceOptions& options, const base::Clock& clock, std::unique_ptr<TraceExporter> exporter,
         ExportQueue::Counters counters);

  Settings InForce(std::string_view model) const override;
  base::Status Change(std::string_view model, const Changes& changes) override;

 private:
  // A model with settings of its own.
  struct OfModel {
    TraceOverrides overrides;
    std::unique_ptr<Sampler> sampler;
  };

  std::shared_ptr<core::RequestTrace> Sample(const core::TraceSubject& subject) override;
  TraceRecord MakeRecord(const core::TraceSubject& subject);
  TraceSettings ForAllLocked() const REQUIRES(mutex_) { return overrides_.Over(initial_); }
  base::Status CheckLevel(const TraceSettings& settings) const;
  void UpdateLocked() REQUIRES(mutex_);

  const config::TraceOptions options_;
  const TraceSettings initial_;
  const std::shared_ptr<TraceHome> home_;
  Sampler sampler_;                         // of models without settings of their own
  std::atomic<bool> models_differ_{false};  // some model has its own
  mutable base::Mutex mutex_;
  TraceOverrides overrides_ GUARDED_BY(mutex_);
  std::map<std::string, OfModel, std::less<>> models_ GUARDED_BY(mutex_);
};

}  // namespace inferd::tracing
