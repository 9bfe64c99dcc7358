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

// The ConfigMap inferenceservice-config, as objects are decided by it.
struct Configuration {
  model::InferenceServiceConfig config;  // the last one that could be used
  manifest::Problems problems;           // why none is known, so that nothing may be decided; empty: one is
  // Why the ConfigMap as it stands does not count; nullopt: it does.
  std::optional<model::ObservedCondition> fault{};
};

// Keeps the last configuration that could be used. A ConfigMap that is missing, empty or broken changes nothing: what
// it said last goes on. For the next start the last one is kept in a ConfigMap of its own, beside it. Thread-safe.
class ConfigurationKeeper final {
 public:
  static constexpr const char* kName = "inferenceservice-config";
  static constexpr const char* kKeptName = "inferenceservice-config-kept";

  // All references outlive this.
  ConfigurationKeeper(kubernetes::Client& client, const base::Clock& clock, std::string namespace_name,
                      base::Logger& logger);

  // Takes the ConfigMap as it is now; null if there is none.
  void Take(const manifest::Value* config_map);

  // Finds out what counts at the start, once the ConfigMaps have been listed. Where there is no configuration, it reads
  // the one that was kept. Where none was kept, the defaults count in a cluster in which nothing was made yet;
  // otherwise problems say that none is known. Returns false if that cannot be told yet: call again later. Blocks.
  bool Settle(bool something_was_made, const std::stop_token& stop);

  // Keeps the configuration for the next start, if that is not done. Called by the controller that leads, again and
  // again: a failure is tried again after a minute. Blocks.
  void Save(const std::stop_token& stop);

  std::shared_ptr<const Configuration> current() const;
  std::vector<Doubt> doubts() const;

 private:
  static constexpr int64_t kSaveAgainNs = 60'000'000'000;

  struct Kept {
    bool is_default = false;  // there was no ConfigMap, and the defaults counted
    manifest::Value data{};   // its entries otherwise
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
  bool is_there_ GUARDED_BY(mutex_) = false;  // a ConfigMap with entries, whatever they say
  std::string reason_ GUARDED_BY(mutex_);     // of the fault; empty: there is none
  std::string what_ GUARDED_BY(mutex_);       // likewise: what is wrong with the ConfigMap
  std::string unread_ GUARDED_BY(mutex_);     // why the one that was kept cannot be read
  std::optional<Kept> to_save_ GUARDED_BY(mutex_);
  int64_t save_ns_ GUARDED_BY(mutex_) = 0;  // not before
  std::string save_failure_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
