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
  std::string config_folder = "/mnt/configs";  // with models.json, as a ConfigMap's volume has it
  std::string model_folder = "/mnt/models";
  Component component;
  std::chrono::milliseconds look_every{500};       // at the list
  std::chrono::milliseconds compare_every{2'000};  // with what the model server has
  size_t workers = 4;                              // models at a time
};

// Keeps the models of a list at a model server: downloads those that come, and has them loaded; has those unloaded that
// go, and removes them; replaces those that change. The list is looked at again and again; one that is not there, or
// has a fault, changes nothing. Models that the model server has lost, as one that was restarted has, are loaded again.
// Any number of models.
class Puller final {
 public:
  // `registry` and `logger` outlive it.
  Puller(PullerOptions options, metrics::Registry& registry, base::Logger& logger);
  // Gives up what is under way, but for a call to the model server.
  ~Puller();
  Puller(const Puller&) = delete;
  Puller& operator=(const Puller&) = delete;

  // Until each model of the first list is here, or has failed to come once; false: `stop` was requested before.
  bool AwaitFirstModels(const std::stop_token& stop);

 private:
  void Watch(const std::stop_token& stop);
  void LookAtList();
  void WatchServer(const std::stop_token& stop);
  void CompareWithServer(modelcalls::ModelCalls& calls);
  // Until `pause` is over; false: it is to stop.
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
  bool listed_ GUARDED_BY(mutex_) = false;  // there was a list
  std::string text_;                        // of the list, as it was last; the watching thread's
  std::string fault_;                       // that was said of it; likewise

  std::stop_source stop_;
  std::vector<std::jthread> threads_;
};

}  // namespace inferd::agent
