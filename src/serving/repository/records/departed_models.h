#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_document.h"
#include "serving/core/model/catalog.h"
#include "serving/core/model/version_statistics.h"
#include "serving/core/model_version.h"
#include "serving/repository/records/model_record.h"

namespace inferd::repository {

// Statistics of versions that no longer serve, and the configurations of their models. Keeps none of the objects that
// served. Models with a removed folder and models with a folder are kept apart, at most kModelsMax of each; then the
// models that left first are forgotten. Not thread-safe: guarded by the manager's lock.
class DepartedModels final {
 public:
  static constexpr size_t kModelsMax = 256;
  static constexpr size_t kVersionsMax = 256;  // per model; then the lowest versions are forgotten

  // Notes that the model's folder was removed. `record` is the state before that: NoteVersion() follows for each
  // version that serves. A model without versions is not noted.
  void Note(const ModelRecord& record);
  // Forgets a model that is back: its statistics start again.
  void Forget(std::string_view name);
  // Returns the models whose folders were removed, by name. If `name` is not empty, only that one.
  std::vector<core::DepartedModel> List(std::string_view name) const;

  // Notes that a version no longer serves. `load` is null if it never did.
  void NoteVersion(const std::string& model, int64_t version, const core::ModelVersion* load);
  // Call when no load of the version is left. Its statistics are final then.
  void CloseVersion(std::string_view model, int64_t version);
  // Forgets the versions of a model that becomes unknown, unless its folder was removed.
  void ForgetVersions(std::string_view model);
  // Returns the noted versions of one model, whether or not its folder was removed.
  core::DepartedModel Versions(std::string_view model) const;

 private:
  struct Version {
    std::shared_ptr<const core::VersionStatistics> last;  // of the load that ended last. Null if none is open
    std::unique_ptr<core::ModelStatistics> earlier;       // the sum of all loads before. Null if there were none
  };
  struct Model {
    std::string name;
    std::shared_ptr<const config::ModelConfigDocument> document;  // null if no version was ever ready
    std::map<int64_t, Version> versions;
  };
  using Models = std::list<Model>;  // in the order in which they left

  static void Close(Version& version);
  static void NoteIn(Model& model, int64_t version, const core::ModelVersion* load);
  static core::DepartedModel Shown(const Model& model);
  static Model& FindOrAdd(Models& models, const std::string& name);
  const Model* Find(std::string_view name) const;

  Models gone_;  // models whose folders were removed
  Models left_;  // models whose folders exist or never existed
};

}  // namespace inferd::repository
