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

// Makes the exporter that the options name. INVALID_ARGUMENT if the collector's URL is not valid. `logger` outlives it.
base::Result<std::unique_ptr<TraceExporter>> MakeExporter(const config::TraceOptions& options, base::Logger& logger);

// Returns the counters inferd_traces_exported_total and inferd_traces_dropped_total.
ExportQueue::Counters CountersIn(metrics::Registry& registry);

// Decides which requests are traced, by settings for all models and by those of single models. Thread-safe. Traces may
// outlive it.
class Tracer final : public core::Tracing {
 public:
  // `clock` outlives the tracer and its traces.
  Tracer(const config::TraceOptions& options, const base::Clock& clock, std::unique_ptr<TraceExporter> exporter,
         ExportQueue::Counters counters);

  Settings InForce(std::string_view model) const override;
  base::Status Change(std::string_view model, const Changes& changes) override;

 private:
  // The settings of a model that has its own.
  struct OfModel {
    TraceOverrides overrides;
    std::unique_ptr<Sampler> sampler;
  };

  std::shared_ptr<core::RequestTrace> Sample(const core::TraceSubject& subject) override;
  TraceRecord MakeRecord(const core::TraceSubject& subject);
  TraceSettings ForAllLocked() const REQUIRES(mutex_) { return overrides_.Over(initial_); }
  base::Status CheckLevel(const TraceSettings& settings) const;
  // Apply changes to the settings of all models, or of one model. The remaining count stays unless it is changed.
  base::Status ChangeForAllLocked(const Changes& changes) REQUIRES(mutex_);
  base::Status ChangeOfModelLocked(std::string_view model, const Changes& changes) REQUIRES(mutex_);

  const config::TraceOptions options_;
  const TraceSettings initial_;
  const std::shared_ptr<TraceHome> home_;
  Sampler sampler_;                         // for models without settings of their own
  std::atomic<bool> models_differ_{false};  // true if a model has its own settings
  mutable base::Mutex mutex_;
  TraceOverrides overrides_ GUARDED_BY(mutex_);
  std::map<std::string, OfModel, std::less<>> models_ GUARDED_BY(mutex_);
};

}  // namespace inferd::tracing
