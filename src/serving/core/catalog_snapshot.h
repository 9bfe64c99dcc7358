#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/persistent_map.h"
#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/model/catalog.h"

namespace inferd::core {

class ModelVersion;

// The number that a client's version text names: decimal digits without a sign or leading zeros, at most 2^63 - 1.
// -1: it names none.
int64_t ParseVersion(std::string_view text);

// What is served at one moment: every known model, its versions, and which of them answers a request that names none.
// Immutable, so thread-safe. It does not keep the versions loaded: a loop that is idle may hold an old snapshot, and an
// unload must not wait for it.
class CatalogSnapshot final {
 public:
  struct Version {
    int64_t version = 0;
    std::weak_ptr<const ModelVersion> serving;  // set if `state` is READY
    ModelState state = ModelState::kUnknown;
    std::string reason;  // why it is not READY
    // Of that reason, where it is why the version could not be loaded.
    base::StatusCode failed_code = base::StatusCode::kOk;
    // It is loaded when a request needs it, should it not be READY.
    bool on_demand = false;
    // Requests that name no version have it loaded, rather than that a lower one answers.
    bool precedes_ready = false;

    bool operator==(const Version& other) const;
  };
  struct Model {
    std::vector<Version> versions;  // ascending
    std::string reason;             // why the model has no ready version, if it has none
    config::VersionLabels labels = {};
    // The highest ready one; null: none, or a higher one is to be loaded for the request.
    const Version* Default() const;
    const Version* Find(int64_t version) const;

    bool operator==(const Model& other) const = default;
  };
  // A snapshot made from another shares what did not change with it.
  using Models = base::PersistentMap<Model>;

  CatalogSnapshot() = default;
  explicit CatalogSnapshot(Models models) : models_(std::move(models)) {}
  explicit CatalogSnapshot(const std::map<std::string, Model>& models) {
    for (const auto& [name, model] : models) models_ = models_.With(name, model);
  }

  const Models& models() const { return models_; }
  const Model* FindModel(std::string_view model) const;

  // The version that answers; `version` empty: the highest ready one. NOT_FOUND: no such model or version.
  // UNAVAILABLE: known, not ready, with its reason.
  base::Result<std::shared_ptr<const ModelVersion>> Find(std::string_view model, std::string_view version) const;

  // Whether the version, or with `version` empty one of the model's, is of those loaded on demand.
  bool LoadsOnDemand(std::string_view model, std::string_view version) const;

  // The version that a model's label names, ready or not. INVALID_ARGUMENT: the model, if there is one, has no such
  // label.
  base::Result<int64_t> FindLabel(std::string_view model, std::string_view label) const;

 private:
  Models models_;
};

}  // namespace inferd::core
