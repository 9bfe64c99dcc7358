#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "config/model/model_config.h"
#include "config/options/served_model.h"
#include "serving/repository/tree/model_layout.h"
#include "serving/repository/tree/repository_path.h"
#include "serving/repository/tree/settle_tracker.h"
#include "storage/mapped_storage.h"
#include "storage/storage.h"

namespace inferd::repository {

// The text that begins the problem of a model that more than one repository has.
inline constexpr std::string_view kInTwoRepositories = "model appears in two or more repositories";

// The parts of a model's configuration that concern its versions before any of them is loaded.
struct VersionRules {
  config::VersionPolicy policy;
  config::VersionLabels labels;
  std::optional<config::VersionTransition> transition;  // nullopt if not stated
  bool pinned = false;
  uint64_t memory_bytes = 0;  // 0 if not stated
  std::vector<config::Dependency> dependencies;
};

// One model, as one look found it.
struct ModelLook {
  std::string name;
  std::string repository;
  // Not OK if the model cannot be served from the folders (unreadable, or in two repositories). Also not OK while a
  // named base path does not exist, which then does not count as removed: it may be remounted or renamed back.
  base::Status problem;
  std::filesystem::path model_dir;
  std::map<int64_t, std::filesystem::path> version_dirs;
  ModelLayout layout;         // empty if the folder is gone or empty
  bool gone = false;          // the folder is not there
  std::set<int64_t> settled;  // versions whose files are complete
  bool changing = false;      // something in the folder was written, or removed, just now
  std::string config_file;    // its configuration, in the model's folder. Empty if it has none
  std::string config_json;    // replaces config_file, if the model is named with a configuration
  VersionRules rules;         // from the configuration; the default if it cannot be read
  bool named = false;         // served by name, and known even while it has no files
  bool along = false;         // looked at because a wanted model depends on it
};

// The changes in the set of models since the last listing. Model folders are not read for it.
struct Listing {
  struct Model {
    std::string name;
    std::string repository;
    base::Status problem;  // not OK if it is in two repositories
  };
  std::vector<Model> came;        // by name: new, or in other repositories than before
  std::vector<std::string> gone;  // by name. Models of a repository that cannot be read now are not gone
};

// Looks at the model repositories. One look at a time; not thread-safe. The clock must outlive the object.
class Source final {
 public:
  // Creates a source. `config_name`: a model's configs/NAME.pbtxt is preferred to its config.pbtxt. Empty if there is
  // no such file. INVALID_ARGUMENT if two repositories have the same name.
  static base::Result<std::unique_ptr<Source>> Create(const std::vector<RepositoryPath>& repositories,
                                                      const base::Clock& clock, int64_t settle_ms,
                                                      const std::string& config_name = {});

  // Sets the models to serve by name, besides those of the repositories. Replaces the earlier set.
  void Serve(std::vector<config::ServedModel> models);
  const std::vector<config::ServedModel>& served() const { return served_; }
  // Looks at one of them, as it is now. Its files count as complete.
  ModelLook LookAtServed(const std::string& model);

  // Returns every model about which there is something to report: it is new, changing, complete after a change, or
  // gone, or it has a problem (reported as long as it lasts). A complete model that was reported is not reported again,
  // unless another call has looked at it since. If `accept` is true, all files count as complete and every model is
  // reported. Appends problems of whole repositories to `problems`.
  std::vector<ModelLook> Look(bool accept, std::vector<base::Status>* problems);

  // Returns true if the last Look() found the model complete and had nothing new to report about it.
  bool IsAsTold(const std::string& model) const { return told_.contains(model); }
  // Makes the next Look() and List() report everything. Call if the result of the last one was lost.
  void TellAgain();

  // Looks at one model, as it is now. Its files count as complete. If `repository` is empty, takes the first that has
  // the model. NOT_FOUND if none has.
  base::Result<ModelLook> LookAt(const std::string& model, const std::string& repository);

  // Returns the models that came and went. nullopt if no repository's folder has changed, which costs next to nothing
  // to find out.
  std::optional<Listing> List(std::vector<base::Status>* problems);

  // Returns the names of all models. Does not affect later looks. NOT_FOUND or UNAVAILABLE if a repository cannot be
  // read.
  base::Result<std::set<std::string>> ModelNames() const;

  const std::vector<std::string>& repositories() const { return names_; }

 private:
  Source(const base::Clock& clock, int64_t settle_ms) : clock_(clock), settle_(settle_ms * 1'000'000) {}
  ModelLook LookInto(size_t repository, const std::string& model, bool accept);
  // nullopt if there is nothing to report.
  std::optional<ModelLook> LookForNews(const std::string& model, const std::vector<size_t>& repositories, bool accept);
  ModelLook Describe(size_t repository, const std::string& model, base::Result<storage::TreeStat> tree, bool accept);
  std::string KeyOf(size_t repository, const std::string& model) const { return names_[repository] + "/" + model; }
  // Notes whether a call found the model. If that differs from the last listing, the next listing reports the model.
  void NoteSeen(const std::string& model, std::optional<size_t> repository);
  bool Settled(const std::string& key, const storage::TreeStat& tree, bool accept);
  std::string ConfigFileOf(const ModelLayout& layout) const;
  VersionRules RulesOf(const ModelLook& look);
  const config::ServedModel* FindServed(size_t repository, const std::string& model) const;
  // Returns the storage's list, without names that no client could ask for or that would break pages and logs.
  base::Result<std::vector<std::string>> ListModels(size_t repository, std::vector<base::Status>* problems) const;
  base::Status CheckOne(const std::string& model, const std::vector<size_t>& repositories) const;
  std::vector<std::optional<storage::ListStamp>> StampsOfLists() const;

  const base::Clock& clock_;
  SettleTracker settle_;
  std::string named_config_;  // preferred to config.pbtxt. Empty if there is none
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<storage::Storage>> storages_;
  std::vector<config::ServedModel> served_;
  std::map<std::string, size_t> served_at_;                // by name, in served_
  storage::MappedStorage* served_storage_ = nullptr;       // one of storages_. Null if no model was ever named
  std::vector<std::optional<storage::ListStamp>> stamps_;  // of the last listing
  std::map<std::string, size_t> known_;                    // model -> repository, of the last look
  // The complete models that Look() has reported: repository and the settle tracker's number of the last change.
  std::map<std::string, std::pair<size_t, uint64_t>> told_;
  // The models that List() has reported: the repositories of each, of which the first two count.
  struct Listed {
    size_t first = 0;
    size_t second = 0;     // equal to `first` if the model is in no other
    bool doubted = false;  // true if a call has found otherwise since
    bool operator==(const Listed&) const = default;
  };
  std::map<std::string, Listed> listed_;
  // By model. Reused while the shared files stay the same.
  std::map<std::string, std::pair<storage::TreeStat, VersionRules>> rules_;
};

VersionRules VersionRulesOf(const config::ModelConfig& config);

// Returns the rules of a configuration file. Returns the default if it cannot be read; loading will report why.
VersionRules ReadVersionRules(const std::filesystem::path& config_file);

}  // namespace inferd::repository
