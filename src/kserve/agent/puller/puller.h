#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "kserve/agent/puller/component.h"
#include "kserve/agent/puller/model_list.h"
#include "kserve/agent/puller/model_states.h"
#include "kserve/agent/puller/model_store.h"
#include "kserve/modelcalls/model_calls.h"

namespace inferd::agent {

struct PullerOptions {
  std::string config_folder = "/mnt/configs";  // the volume of a ConfigMap, with models.json
  std::string model_folder = "/mnt/models";
  Component component;
  std::chrono::milliseconds look_every{500};       // interval for reading the list
  std::chrono::milliseconds compare_every{2'000};  // interval for asking the model server
  size_t workers = 4;                              // concurrent models
};

// Keeps the models of a model server equal to a list. It downloads and loads new models, unloads and removes dropped
// ones, and replaces changed ones. It reads the list repeatedly; a missing or invalid list changes nothing. Models that
// the model server has lost, for example by a restart, are loaded again. Supports any number of models.
class Puller final {
 public:
  // `registry` and `logger` must outlive the puller.
  Puller(PullerOptions options, metrics::Registry& registry, base::Logger& logger);
  // Cancels actions in progress, except a running call to the model server.
  ~Puller();
  Puller(const Puller&) = delete;
  Puller& operator=(const Puller&) = delete;

  // Blocks until each model of the first list is here, or has failed once. Returns false if `stop` was requested.
  bool AwaitFirstModels(const std::stop_token& stop);

 private:
  void Watch(const std::stop_token& stop);
  void LookAtList();
  void WatchServer(const std::stop_token& stop);
  void CompareWithServer(modelcalls::ModelCalls& calls);
  // Waits for that time. Returns false if a stop was requested.
  bool Rest(std::chrono::milliseconds pause, const std::stop_token& stop);
  void Work(const std::stop_token& stop);
  void Take(const ModelStep& step, modelcalls::ModelCalls& calls, const std::stop_token& stop);
  void Say(const std::string& name, const base::Status& status);
  void Count() REQUIRES(mutex_);

  const PullerOptions options_;
  base::Logger& logger_;
  ModelStore store_;
  const std::shared_ptr<metrics::Gauge> wanted_, ready_;
  const std::shared_ptr<metrics::Counter> failures_;

  base::Mutex mutex_;
  base::CondVar changed_;
  ModelStates states_ GUARDED_BY(mutex_);
  bool listed_ GUARDED_BY(mutex_) = false;  // a list has been read
  std::string text_;                        // the last text of the list; used by the watching thread only
  std::string fault_;                       // its last reported error; likewise

  std::stop_source stop_;
  std::vector<std::jthread> threads_;
};

}  // namespace inferd::agent
