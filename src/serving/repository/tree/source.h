#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
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

// What a model's configuration says about its versions before any of them is loaded.
struct VersionRules {
  config::VersionPolicy policy;
  config::VersionLabels labels;
  std::optional<config::VersionTransition> transition;  // nothing: it does not say
  bool pinned = false;
  uint64_t memory_bytes = 0;  // 0: it does not say
  std::vector<config::Dependency> dependencies;
};

// One model as one look found it.
struct ModelLook {
  std::string name;
  std::string repository;
  // Not OK: it cannot be served from the folders (unreadable, or in two repositories). A base path that is named says
  // nothing either while it is not there: it may be remounted, or renamed back.
  base::Status problem;
  std::filesystem::path model_dir;
  std::map<int64_t, std::filesystem::path> version_dirs;
  ModelLayout layout;         // empty: the folder is gone, or has nothing in it
  bool gone = false;          // the folder is not there
  std::set<int64_t> settled;  // versions that are whole
  bool changing = false;      // something in the folder was written, or removed, just now
  std::string config_file;    // its configuration, in the model's folder; empty: it has none
  std::string config_json;    // where it is named with one: in place of that
  VersionRules rules;         // what that says; the default if it cannot be read
  bool named = false;         // it is one of those named to be served, and known even while it has no files
  bool along = false;         // it is looked at because a model that is wanted depends on it
};

// Which models there are, without a look inside: how that differs from the listing before.
struct Listing {
  struct Model {
    std::string name;
    std::string repository;
    base::Status problem;  // not OK: it is in two repositories
  };
  std::vector<Model> came;        // by name: new, or in other repositories than before
  std::vector<std::string> gone;  // by name. A repository that cannot be read now says nothing about its models
};

// Looks at the model repositories. One look at a time; not thread-safe. The clock outlives it.
class Source final {
 public:
  // INVALID_ARGUMENT: two repositories of one name. `config_name`: a model's configs/NAME.pbtxt goes before its
  // config.pbtxt; empty: there is none such.
  static base::Result<std::unique_ptr<Source>> Create(const std::vector<RepositoryPath>& repositories,
                                                      const base::Clock& clock, int64_t settle_ms,
                                                      const std::string& config_name = {});

  // Names the models to serve besides those of the repositories, in place of all that were named before.
  void Serve(std::vector<config::ServedModel> models);
  const std::vector<config::ServedModel>& served() const { return served_; }
  // One of them, as it is now, as whole.
  ModelLook LookAtServed(const std::string& model);

  // Every model of which there is something to tell: that it is new, changing, or whole after a change, what is wrong
  // with it as long as it is, or that it is gone. What an earlier look told of a whole model is not told again, unless
  // another call looked at it since. `accept`: what is there counts as whole, and all of it is told. Problems with
  // whole repositories are put into `problems`.
  std::vector<ModelLook> Look(bool accept, std::vector<base::Status>* problems);

  // Whether the last Look() found the model whole, with nothing to tell but what was told before.
  bool IsAsTold(const std::string& model) const { return told_.contains(model); }
  // The next Look() and List() tell everything: what the last one told was lost.
  void TellAgain();

  // One model, as it is now, as whole. `repository` empty: whichever has it. NOT_FOUND.
  base::Result<ModelLook> LookAt(const std::string& model, const std::string& repository);

  // Which models came and went; nullopt: none, which is found out at hardly any cost.
  std::optional<Listing> List(std::vector<base::Status>* problems);

  // The models there are, by a look that no later one takes into account. NOT_FOUND, UNAVAILABLE: a repository cannot
  // be read.
  base::Result<std::set<std::string>> ModelNames() const;

  const std::vector<std::string>& repositories() const { return names_; }

 private:
  Source(const base::Clock& clock, int64_t settle_ms) : clock_(clock), settle_(settle_ms * 1'000'000) {}
  ModelLook LookInto(size_t repository, const std::string& model, bool accept);
  // Nothing: there is nothing to tell.
  std::optional<ModelLook> LookForNews(const std::string& model, const std::vector<size_t>& repositories, bool accept);
  ModelLook Describe(size_t repository, const std::string& model, base::Result<storage::TreeStat> tree, bool accept);
  std::string KeyOf(size_t repository, const std::string& model) const { return names_[repository] + "/" + model; }
  // A call saw whether the model is there: the next listing tells it, should it differ from the last.
  void NoteSeen(const std::string& model, std::optional<size_t> repository);
  bool Settled(const std::string& key, const storage::TreeStat& tree, bool accept);
  std::string ConfigFileOf(const ModelLayout& layout) const;
  VersionRules RulesOf(const ModelLook& look);
  const config::ServedModel* FindServed(size_t repository, const std::string& model) const;
  // What the storage lists, without names that no client could ask for or that would break pages and logs.
  base::Result<std::vector<std::string>> ListModels(size_t repository, std::vector<base::Status>* problems) const;
  base::Status CheckOne(const std::string& model, const std::vector<size_t>& repositories) const;
  std::vector<std::optional<storage::ListStamp>> StampsOfLists() const;

  const base::Clock& clock_;
  SettleTracker settle_;
  std::string named_config_;  // goes before config.pbtxt; empty: there is none
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<storage::Storage>> storages_;
  std::vector<config::ServedModel> served_;
  std::map<std::string, size_t> served_at_;                // by name, in served_
  storage::MappedStorage* served_storage_ = nullptr;       // one of storages_; null: nothing was ever named
  std::vector<std::optional<storage::ListStamp>> stamps_;  // of the last listing
  std::map<std::string, size_t> known_;                    // model -> repository, of the last look
  // What Look() told of models that were whole, as the repository and the settle tracker's number of their last change.
  std::map<std::string, std::pair<size_t, uint64_t>> told_;
  // What List() told: in which repositories a model is, of which two count.
  struct Listed {
    size_t first = 0;
    size_t second = 0;     // the same as the first: in no other
    bool doubted = false;  // a call saw otherwise since
    bool operator==(const Listed&) const = default;
  };
  std::map<std::string, Listed> listed_;
  // By model, while shared files stay.
  std::map<std::string, std::pair<storage::TreeStat, VersionRules>> rules_;
};

VersionRules VersionRulesOf(const config::ModelConfig& config);

// What a configuration text says about versions; the default if it is not to be read (loading will say why).
VersionRules ReadVersionRules(const std::filesystem::path& config_file);

}  // namespace inferd::repository
