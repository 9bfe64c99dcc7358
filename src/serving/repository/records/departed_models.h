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

// Statistics of versions that do not serve any more, and the configurations of their models. What served them is not
// kept. Models whose folders have gone and models that are there are kept apart: kModelsMax of each, then those that
// left first are forgotten. Not thread-safe: guarded by the manager's lock.
class DepartedModels final {
 public:
  static constexpr size_t kModelsMax = 256;
  static constexpr size_t kVersionsMax = 256;  // of one model; then the lowest are forgotten

  // Notes that the model's folder has gone. `record` is as it was before: NoteVersion() follows for each version that
  // serves. A model without versions is not noted.
  void Note(const ModelRecord& record);
  // Forgets a model that is back: it counts anew.
  void Forget(std::string_view name);
  // The models whose folders have gone, by name. If `name` is not empty, that one only.
  std::vector<core::DepartedModel> List(std::string_view name) const;

  // Notes that a version serves no more. If `load` is null, it never did.
  void NoteVersion(const std::string& model, int64_t version, const core::ModelVersion* load);
  // Call when no load of the version is left: its statistics are final.
  void CloseVersion(std::string_view model, int64_t version);
  // Forgets the versions of a model that is unknown from now on, unless its folder has gone.
  void ForgetVersions(std::string_view model);
  // The versions that are noted of one model, whether its folder has gone or not.
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

  Models gone_;  // their folders are not there
  Models left_;  // their folders are there, or were never
};

}  // namespace inferd::repository
