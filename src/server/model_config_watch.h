#pragma once

#include <string>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "config/options/served_model.h"
#include "config/options/served_options.h"
#include "server/served_models.h"

namespace inferd::server {

// Reads the file of models again and again, on a thread of its own, and has served what it says now. What cannot be
// applied is logged once and tried again with every look. What it serves with outlives it.
class ModelConfigWatch final {
 public:
  // `served`: what the file said at the start.
  ModelConfigWatch(config::ServedModelOptions options, std::vector<config::ServedModel> served,
                   const ModelServing& serving);
  ModelConfigWatch(const ModelConfigWatch&) = delete;
  ModelConfigWatch& operator=(const ModelConfigWatch&) = delete;

  // Begins to look; not at all if the options name no interval. At most once.
  void Start();

  // One look, which the thread does from time to time.
  void Look();

 private:
  base::Status Apply();
  base::Status WithoutList() const;

  const config::ServedModelOptions options_;
  std::vector<config::ServedModel> served_;
  std::string problem_;  // the last look's
  const ModelServing serving_;
  std::jthread thread_;
};

}  // namespace inferd::server
