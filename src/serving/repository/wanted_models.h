#pragma once

#include <map>
#include <set>
#include <string>

#include "serving/repository/manager_options.h"
#include "serving/repository/records/model_record.h"
#include "serving/repository/records/problem_log.h"
#include "serving/repository/tree/source.h"

namespace inferd::repository {

// Decides, by the options, which versions of a model are wanted after a look at its folder, and reports why if none
// are. Thread-safe except for its arguments. The constructor's arguments must outlive the object.
class WantedModels final {
 public:
  WantedModels(const ManagerOptions& options, const ManagerServices& services, const Loader& loader)
      : options_(options),
        loader_(loader),
        clock_(services.clock),
        logger_(services.logger),
        startup_models_(options.startup_models.begin(), options.startup_models.end()),
        pinned_models_(options.lazy.pinned_models.begin(), options.lazy.pinned_models.end()) {}

  // Returns true if the model is wanted because of its folder, unless a call has decided otherwise. `initial` is true
  // at the first look.
  bool FromFolder(const std::string& model, bool initial) const;

  // Makes the record want `wanted`, under the rules that the look found.
  void Want(const ModelLook& look, std::map<int64_t, WantedVersion> wanted, ModelRecord& record) const;
  // Makes the record want the versions that the look found. `problems` keeps repeated problems out of the log.
  void WantWhatIsThere(const ModelLook& look, ModelRecord& record, ProblemLog& problems) const;

  // Notes in the record if Triton would know the model: its configuration can be read and completed, for one of the
  // wanted versions or, if there are none, without a version. Reads files, so call it only for models of the initial
  // set, on which readiness depends. Does nothing for other servers than Triton.
  void NotePolled(const ModelLook& look, ModelRecord& record) const;

  // Checks the model's configuration without a version. INVALID_ARGUMENT if it is wrong.
  base::Status CheckConfiguration(const ModelLook& look) const;

  // Checks that the configuration with which the model would be loaded can be resolved. Reads files.
  base::Status CheckLoadable(const ModelLook& look) const;

  // Logs why a model cannot be served, unless `problems` says that it was logged recently.
  void LogProblem(const std::string& model, const std::string& problem, ProblemLog& problems) const;

 private:
  // If GPU memory has a budget, estimates what the version will hold on each GPU. Reads the version's configuration.
  void EstimateGpus(WantedVersion& wanted) const;
  // Returns true if no version can be loaded because the configuration itself is wrong. Reads the configuration.
  bool AreRefused(const std::map<int64_t, WantedVersion>& wanted) const;
  bool IsPolled(const ModelLook& look, const std::map<int64_t, WantedVersion>& wanted) const;
  void WarnOfMissing(const ModelLook& look, ProblemLog& problems) const;

  const ManagerOptions& options_;
  const Loader& loader_;
  const base::Clock& clock_;
  base::Logger& logger_;
  const std::set<std::string, std::less<>> startup_models_;
  const std::set<std::string, std::less<>> pinned_models_;
};

}  // namespace inferd::repository
