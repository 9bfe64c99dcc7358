#include "server/model_config_watch.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <utility>

#include "base/thread_pool.h"
#include "server/served_models.h"

namespace inferd::server {

ModelConfigWatch::ModelConfigWatch(config::ServedModelOptions options, std::vector<config::ServedModel> served,
                                   const ModelServing& serving)
    : options_(std::move(options)), served_(std::move(served)), serving_(serving) {}

void ModelConfigWatch::Start() {
  if (options_.config_poll.count() == 0) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    base::SetThreadName("models");
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    while (!never.wait_for(lock, stop, options_.config_poll, [&stop] { return stop.stop_requested(); })) Look();
  });
}

void ModelConfigWatch::Look() {
  const base::Status status = Apply();
  if (!status.ok() && status.message() != problem_) {
    serving_.logger.Error("the file of models is not applied",
                          {{"file", options_.config_file}, {"reason", status.ToString()}});
  }
  problem_ = status.message();
}

// The file is empty for a moment while it is being written. Only a file with a list may unload models.
base::Status ModelConfigWatch::WithoutList() const {
  if (served_.empty()) return base::OkStatus();
  return base::FailedPrecondition(
      "Cannot transition to requested config. It is only legal to transition from one ModelConfigList to another.");
}

base::Status ModelConfigWatch::Apply() {
  INFERD_ASSIGN_OR_RETURN(auto models, ReadModelConfigFile(options_.config_file, serving_.logger));
  if (!models.has_value()) return WithoutList();
  if (*models == served_) return base::OkStatus();
  std::promise<base::Status> answer;
  ServeModels(serving_, *models, [&answer](base::Status status) { answer.set_value(std::move(status)); });
  base::Status status = answer.get_future().get();
  // If a model fails, the others are served, and the file counts as applied.
  if (IsServed(status)) {
    served_ = *std::move(models);
    serving_.logger.Info("the file of models is applied", {{"file", options_.config_file}});
  }
  return status;
}

}  // namespace inferd::server
