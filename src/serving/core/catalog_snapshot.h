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

// Parses the version number in a client's text: decimal digits without a sign or leading zeros, at most 2^63 - 1.
// Returns -1 if the text is anything else.
int64_t ParseVersion(std::string_view text);

// Returns the error for a text that ParseVersion() refuses: NOT_FOUND.
base::Status NoVersion(std::string_view text);

// The state of the catalog at one moment: every known model, its versions, and the version that answers a request
// without one. Immutable, and so thread-safe. It does not keep versions loaded: an idle loop may hold an old snapshot,
// and an unload must not wait for it.
class CatalogSnapshot final {
 public:
  struct Version {
    int64_t version = 0;
    std::weak_ptr<const ModelVersion> serving;  // set if `state` is READY
    ModelState state = ModelState::kUnknown;
    std::string reason;  // why it is not READY
    // The error code of a failed load, if that is the reason.
    base::StatusCode failed_code = base::StatusCode::kOk;
    // True if the version is loaded when a request needs it and it is not READY.
    bool on_demand = false;
    // True if a request that names no version loads this one, instead of being answered by a lower, ready one.
    bool precedes_ready = false;

    bool operator==(const Version& other) const;
  };
  struct Model {
    std::vector<Version> versions;  // ascending
    std::string reason;             // why the model has no ready version, if it has none
    config::VersionLabels labels = {};
    // Returns the highest ready version. Null if there is none, or if a higher one must first be loaded for the
    // request.
    const Version* Default() const;
    const Version* Find(int64_t version) const;

    bool operator==(const Model& other) const = default;
  };
  // A snapshot that is made from another shares the unchanged models with it.
  using Models = base::PersistentMap<Model>;

  CatalogSnapshot() = default;
  explicit CatalogSnapshot(Models models) : models_(std::move(models)) {}
  explicit CatalogSnapshot(const std::map<std::string, Model>& models) {
    for (const auto& [name, model] : models) models_ = models_.With(name, model);
  }

  const Models& models() const { return models_; }
  const Model* FindModel(std::string_view model) const;

  // Returns the version that answers. If `version` is empty, the highest ready one. NOT_FOUND if there is no such model
  // or version. UNAVAILABLE, with the reason, if it is known and not ready.
  base::Result<std::shared_ptr<const ModelVersion>> Find(std::string_view model, std::string_view version) const;

  // Returns true if the version is loaded on demand. If `version` is empty, true if any version of the model is.
  bool LoadsOnDemand(std::string_view model, std::string_view version) const;

  // Returns the version that a model's label names, ready or not. INVALID_ARGUMENT if the model is unknown or has no
  // such label.
  base::Result<int64_t> FindLabel(std::string_view model, std::string_view label) const;

 private:
  Models models_;
};

}  // namespace inferd::core
