#pragma once

#include <string>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "config/options/served_model.h"
#include "config/options/served_options.h"
#include "server/served_models.h"

namespace inferd::server {

// Reads the model configuration file repeatedly on a thread of its own, and serves the models that it lists. An error
// is logged once, and applying the file is retried with each read. The references of `serving` must outlive this.
class ModelConfigWatch final {
 public:
  // `served` is the content of the file at the start.
  ModelConfigWatch(config::ServedModelOptions options, std::vector<config::ServedModel> served,
                   const ModelServing& serving);
  ModelConfigWatch(const ModelConfigWatch&) = delete;
  ModelConfigWatch& operator=(const ModelConfigWatch&) = delete;

  // Starts the thread, if the options have an interval. Call it at most once.
  void Start();

  // Reads and applies the file once. The thread calls it periodically.
  void Look();

 private:
  base::Status Apply();
  base::Status WithoutList() const;

  const config::ServedModelOptions options_;
  std::vector<config::ServedModel> served_;
  std::string problem_;  // of the last read
  const ModelServing serving_;
  std::jthread thread_;
};

}  // namespace inferd::server
