#pragma once

#include <map>
#include <set>
#include <string>

#include "serving/repository/manager_options.h"
#include "serving/repository/records/model_record.h"
#include "serving/repository/records/problem_log.h"
#include "serving/repository/tree/source.h"

namespace inferd::repository {

// What a look at a model's folder makes wanted of it, by the options, and what is said where that is nothing.
// Thread-safe but for its arguments. What is referred to outlives it.
class WantedModels final {
 public:
  WantedModels(const ManagerOptions& options, const ManagerServices& services, const Loader& loader)
      : options_(options),
        loader_(loader),
        clock_(services.clock),
        logger_(services.logger),
        startup_models_(options.startup_models.begin(), options.startup_models.end()),
        pinned_models_(options.lazy.pinned_models.begin(), options.lazy.pinned_models.end()) {}

  // Whether what is in the model's folder is wanted, as far as no call says otherwise. `initial`: at the first look.
  bool FromFolder(const std::string& model, bool initial) const;

  // The record wants these, under the rules that the look found.
  void Want(const ModelLook& look, std::map<int64_t, WantedVersion> wanted, ModelRecord& record) const;
  // The record wants what the look found. `problems`: of models, which are said again only now and then.
  void WantWhatIsThere(const ModelLook& look, ModelRecord& record, ProblemLog& problems) const;

  // What can be said of its configuration without a version. INVALID_ARGUMENT.
  base::Status CheckConfiguration(const ModelLook& look) const;

  // Whether the configuration that the model would be loaded with can be resolved. Reads files.
  base::Status CheckLoadable(const ModelLook& look) const;

  // Of a model whose folders say nothing, or nothing that can be served.
  void LogProblem(const std::string& model, const std::string& problem, ProblemLog& problems) const;

 private:
  // Where a budget is kept of GPUs: what the version will hold of them. Reads its configuration.
  void EstimateGpus(WantedVersion& wanted) const;
  // Returns true if none of the versions can be loaded, as the configuration itself is at fault. Reads it.
  bool AreRefused(const std::map<int64_t, WantedVersion>& wanted) const;
  void WarnOfMissing(const ModelLook& look, ProblemLog& problems) const;

  const ManagerOptions& options_;
  const Loader& loader_;
  const base::Clock& clock_;
  base::Logger& logger_;
  const std::set<std::string, std::less<>> startup_models_;
  const std::set<std::string, std::less<>> pinned_models_;
};

}  // namespace inferd::repository
