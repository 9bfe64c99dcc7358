#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/model_config_document.h"
#include "serving/core/model/catalog.h"
#include "serving/core/model/version_statistics.h"
#include "serving/repository/records/model_record.h"

namespace inferd::repository {

// What is remembered of models whose folders have gone: what served them is not kept, what it counted is. Not
// thread-safe: guarded by the manager's lock.
class DepartedModels final {
 public:
  static constexpr size_t kModelsMax = 256;  // then the first that left are forgotten

  // The model's folder has gone; the record is as it was before. Nothing new where it has no versions any more.
  void Note(const ModelRecord& record);
  // It is back.
  void Forget(std::string_view name);

  // By name; `name` not empty: that model, if it is there.
  std::vector<core::DepartedModel> List(std::string_view name) const;

 private:
  struct Version {
    int64_t version = 0;
    std::shared_ptr<const core::VersionStatistics> statistics;  // null: it was not ready
  };
  struct Model {
    std::string name;
    std::shared_ptr<const config::ModelConfigDocument> document;  // null: no version was ready
    std::vector<Version> versions;                                // ascending
  };

  static core::DepartedModel Shown(const Model& model);

  std::list<Model> models_;  // in the order in which they left
};

}  // namespace inferd::repository
