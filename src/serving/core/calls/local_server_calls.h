#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/metrics/registry.h"
#include "serving/core/calls/custom_metrics.h"
#include "serving/core/calls/server_calls.h"
#include "serving/core/model_caller.h"

namespace inferd::core {

// ServerCalls for engines in the server's own process. Thread-safe.
class LocalServerCalls final : public ServerCalls {
 public:
  // The maximum depth of nested executions. A call that would be deeper is refused.
  static constexpr size_t kDepthMax = 16;

  // All references outlive this object. `pool` runs tasks that must not run on the thread where they become due.
  LocalServerCalls(const ModelCaller& models, Catalog& catalog, metrics::Registry& registry, base::Executor& pool)
      : models_(models), catalog_(catalog), metrics_(registry), pool_(pool) {}

  std::shared_ptr<ModelCall> MakeCall(CallOrigin origin, std::unique_ptr<InferRequest> request, bool many,
                                      CallAnswer answer) override;
  void ModelReady(std::string model, std::string version, ControlCallback done) override;
  void Load(LoadCall call, ControlCallback done) override { catalog_.Load(std::move(call), std::move(done)); }
  void Unload(UnloadCall call, ControlCallback done) override { catalog_.Unload(std::move(call), std::move(done)); }
  base::Result<std::shared_ptr<CustomMetric>> OpenMetric(const CustomMetricSpec& spec) override {
    return metrics_.Open(spec);
  }

 private:
  const ModelCaller& models_;
  Catalog& catalog_;
  CustomMetrics metrics_;
  base::Executor& pool_;
};

}  // namespace inferd::core
