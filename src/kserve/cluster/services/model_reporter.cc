#include "kserve/cluster/services/model_reporter.h"

#include <vector>

#include "kserve/cluster/objects/resources.h"
#include "kserve/model/status/trained_model_status.h"

namespace inferd::cluster {

using manifest::Value;

kubernetes::ApiResult<void> ModelReporter::Report(const Models& models, const ModelHost& host,
                                                  const std::stop_token& stop) {
  const auto list = PointersOf(models);
  const std::vector<bool> fit = model::FitInMemory(list, host.memory_limit);
  kubernetes::ApiResult<void> result;
  for (size_t i = 0; i < list.size(); ++i) {
    if (auto reported = ReportOne(*list[i], host, fit[i], stop); !reported.has_value()) result = std::move(reported);
  }
  return result;
}

kubernetes::ApiResult<void> ModelReporter::ReportOne(const model::TrainedModel& model, const ModelHost& host, bool fits,
                                                     const std::stop_token& stop) {
  const Value* const before = model.document.Find("status");
  const model::TrainedModelState state{.there = host.there,
                                       .ready = host.ready,
                                       .takes_models = host.takes_models,
                                       .fits = fits,
                                       .loaded = host.ready,
                                       .url = host.url};
  const Value status = model::WithTimes(model::MakeTrainedModelStatus(model, state), before, statuses_.Now());
  const auto written = statuses_.Write(TrainedModels(), model.document, status, stop);
  if (written.has_value() || written.error().is_not_found()) return {};
  return std::unexpected(written.error());
}

}  // namespace inferd::cluster
