#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/mutex.h"
#include "data/manifest/problem.h"
#include "kserve/cluster/objects/cluster_features.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// The ConfigMap inferenceservice-config, parsed. Decisions use it.
struct Configuration {
  model::InferenceServiceConfig config;  // the last valid one
  manifest::Problems problems;           // why none is known and nothing may be decided; empty if one is known
  // The reason why the current ConfigMap is ignored. Nullopt if the ConfigMap is in use.
  std::optional<model::ObservedCondition> fault{};
};

// Keeps the last valid configuration. If the ConfigMap is missing, empty or invalid, its last valid content stays in
// force. The last valid content is also saved in a second ConfigMap, for the next start. Thread-safe.
class ConfigurationKeeper final {
 public:
  static constexpr const char* kName = "inferenceservice-config";
  static constexpr const char* kKeptName = "inferenceservice-config-kept";

  // All references must outlive this.
  ConfigurationKeeper(kubernetes::Client& client, const base::Clock& clock, std::string namespace_name,
                      base::Logger& logger);

  // Reads the current ConfigMap. Null if there is none.
  void Take(const manifest::Value* config_map);

  // Chooses the configuration at the start. The caller must wait until ConfigMaps have been listed. Without a valid
  // ConfigMap, the saved one is used. If none was saved, the defaults are used in a cluster without objects of this
  // program; otherwise Configuration::problems says that none is known. Returns false if that cannot be decided
  // yet: the caller must call again later. Blocks.
  bool Settle(bool something_was_made, const std::stop_token& stop);

  // Saves the configuration for the next start, if it is not saved yet. The leading controller calls this repeatedly. A
  // failure is retried after a minute. Blocks.
  void Save(const std::stop_token& stop);

  std::shared_ptr<const Configuration> current() const;
  std::vector<Doubt> doubts() const;

 private:
  static constexpr int64_t kSaveAgainNs = 60'000'000'000;

  struct Kept {
    bool is_default = false;  // there was no ConfigMap, so the defaults were used
    manifest::Value data{};   // the ConfigMap's entries otherwise
  };

  void Use(model::InferenceServiceConfig config, Kept kept, bool is_saved) REQUIRES(mutex_);
  void SetFault(std::string reason, std::string what) REQUIRES(mutex_);
  kubernetes::ApiResult<std::optional<Kept>> ReadKept(const std::stop_token& stop);
  std::string Title() const;

  kubernetes::Client& client_;
  const base::Clock& clock_;
  const std::string namespace_;
  base::Logger& logger_;
  mutable base::Mutex mutex_;
  std::shared_ptr<const Configuration> current_ GUARDED_BY(mutex_);
  bool is_known_ GUARDED_BY(mutex_) = false;
  bool was_listed_ GUARDED_BY(mutex_) = false;
  bool is_there_ GUARDED_BY(mutex_) = false;  // the ConfigMap exists and has entries, valid or not
  std::string reason_ GUARDED_BY(mutex_);     // the fault's reason; empty if there is no fault
  std::string what_ GUARDED_BY(mutex_);       // the fault's text; empty if there is no fault
  std::string unread_ GUARDED_BY(mutex_);     // why the saved configuration cannot be read
  std::optional<Kept> to_save_ GUARDED_BY(mutex_);
  int64_t save_ns_ GUARDED_BY(mutex_) = 0;  // the earliest time of the next attempt
  std::string save_failure_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
