#include "serving/repository/tree/source.h"

#include <algorithm>

#include "base/system/regular_file.h"
#include "config/model/model_config_parser.h"
#include "serving/core/model/refused_load.h"
#include "serving/repository/tree/no_versions.h"
#include "storage/local_storage.h"
#include "storage/staging.h"

namespace inferd::repository {

namespace fs = std::filesystem;

namespace {

// The index's repository name for models that are served by name.
constexpr std::string_view kServedRepository = "served";
constexpr int64_t kStampNsMin = 1'000'000'000;

// In TensorFlow Serving's words.
base::Status BasePathProblem(const config::ServedModel& model, const base::Status& error) {
  return base::InvalidArgument("Could not find base path " + model.base_path + " for servable " + model.name +
                               " with error " + error.ToString());
}

}  // namespace

namespace {

// Too many dependencies: the load refuses the configuration for that reason, and not for one of the dependencies.
std::vector<config::Dependency> DependenciesOf(const config::ModelConfig& config) {
  const bool refused = config.dependencies.size() > config::kDependenciesMax;
  return refused ? std::vector<config::Dependency>() : config.dependencies;
}

}  // namespace

VersionRules VersionRulesOf(const config::ModelConfig& config) {
  return {.policy = config.version_policy,
          .labels = config.version_labels,
          .transition = config.version_transition,
          .pinned = config.pinned,
          .memory_bytes = config.memory_bytes,
          .dependencies = DependenciesOf(config)};
}

VersionRules ReadVersionRules(const fs::path& config_file) {
  const auto text = base::ReadRegularFile(config_file, config::kModelConfigBytesMax);
  if (!text.has_value()) return {};
  const auto parsed = config::ParseModelConfig(*text, config_file.string());
  if (!parsed.has_value()) return {};
  return VersionRulesOf(*parsed);
}

base::Result<std::unique_ptr<Source>> Source::Create(const std::vector<RepositoryPath>& repositories,
                                                     const base::Clock& clock, int64_t settle_ms,
                                                     const std::string& config_name) {
  std::unique_ptr<Source> source(new Source(clock, settle_ms));
  if (!config_name.empty()) source->named_config_ = "configs/" + config_name + ".pbtxt";
  for (const RepositoryPath& repository : repositories) {
    // "models/" and "models" are the same folder.
    const fs::path path = repository.path.has_filename() ? repository.path : repository.path.parent_path();
    const std::string name = repository.name.empty() ? path.filename().string() : repository.name;
    if (std::ranges::find(source->names_, name) != source->names_.end()) {
      return std::unexpected(
          base::InvalidArgument("two model repositories are named '" + name + "': name them with NAME=PATH"));
    }
    source->names_.push_back(name);
    std::error_code ignored;
    if (!repository.model.empty() || fs::is_regular_file(path, ignored)) {
      source->storages_.push_back(std::make_unique<storage::FileStorage>(path, repository.model));
    } else {
      source->storages_.push_back(std::make_unique<storage::LocalStorage>(path));
    }
  }
  return source;
}

bool Source::Settled(const std::string& key, const storage::TreeStat& tree, bool accept) {
  if (accept) settle_.Accept(key, tree, clock_.NowNs());
  return settle_.Observe(key, tree, clock_.NowNs());
}

std::string Source::ConfigFileOf(const ModelLayout& layout) const {
  if (!named_config_.empty() && layout.HasFile(named_config_)) return named_config_;
  return layout.HasFile("config.pbtxt") ? "config.pbtxt" : "";
}

VersionRules Source::RulesOf(const ModelLook& look) {
  if (look.config_file.empty()) return {};
  auto& [shared, rules] = rules_[look.repository + "/" + look.name];
  if (shared != look.layout.shared) {
    shared = look.layout.shared;
    rules = ReadVersionRules(look.model_dir / look.config_file);
  }
  return rules;
}

void Source::Serve(std::vector<config::ServedModel> models) {
  storage::MappedStorage::Folders folders;
  for (const config::ServedModel& model : models) folders[model.name] = model.base_path;
  served_ = std::move(models);
  served_at_.clear();
  for (size_t i = 0; i < served_.size(); ++i) served_at_.emplace(served_[i].name, i);
  told_.clear();
  if (served_storage_ != nullptr) return served_storage_->Replace(std::move(folders));
  auto storage = std::make_unique<storage::MappedStorage>(std::move(folders));
  served_storage_ = storage.get();
  names_.emplace_back(kServedRepository);
  storages_.push_back(std::move(storage));
}

const config::ServedModel* Source::FindServed(size_t repository, const std::string& model) const {
  if (storages_[repository].get() != served_storage_) return nullptr;
  const auto it = served_at_.find(model);
  return it == served_at_.end() ? nullptr : &served_[it->second];
}

ModelLook Source::LookAtServed(const std::string& model) {
  const auto at = std::ranges::find(storages_, served_storage_, &std::unique_ptr<storage::Storage>::get);
  const auto repository = static_cast<size_t>(at - storages_.begin());
  known_[model] = repository;
  return LookInto(repository, model, true);
}

ModelLook Source::LookInto(size_t repository, const std::string& model, bool accept) {
  return Describe(repository, model, storages_[repository]->StatModel(model), accept);
}

std::optional<ModelLook> Source::LookForNews(const std::string& model, const std::vector<size_t>& repositories,
                                             bool accept) {
  const size_t repository = repositories.front();
  const std::string key = KeyOf(repository, model);
  auto tree = storages_[repository]->StatModel(model);
  const auto told = told_.find(model);
  if (told != told_.end() && repositories.size() == 1 && !accept && tree.has_value() &&
      told->second == std::pair(repository, settle_.LastChange(key)) && settle_.IsSame(key, *tree)) {
    return std::nullopt;
  }
  ModelLook look = Describe(repository, model, std::move(tree), accept);
  if (repositories.size() > 1) look.problem = CheckOne(model, repositories);
  // A named model that lacks versions is reported as long as it does.
  const bool lacks = look.named && (look.layout.versions.empty() || !DescribeMissingVersions(look).empty());
  if (look.problem.ok() && !look.changing && !lacks) {
    told_[model] = {repository, settle_.LastChange(key)};
  } else {
    told_.erase(model);
  }
  return look;
}

void Source::TellAgain() {
  told_.clear();
  listed_.clear();
  stamps_.clear();
}

ModelLook Source::Describe(size_t repository, const std::string& model, base::Result<storage::TreeStat> tree,
                           bool accept) {
  const storage::Storage& storage = *storages_[repository];
  ModelLook look;
  look.name = model;
  look.repository = names_[repository];
  look.model_dir = storage.ModelDir(model);
  const std::string key = KeyOf(repository, model);
  const config::ServedModel* const served = FindServed(repository, model);
  look.named = served != nullptr;
  if (!tree.has_value()) {
    look.gone = tree.error().code() == base::StatusCode::kNotFound;
    if (!look.gone || look.named) {
      look.problem = look.named ? BasePathProblem(*served, tree.error()) : tree.error();
      look.changing = true;  // unknown; ready versions go on serving
      return look;
    }
    tree.emplace();
  }
  look.changing = !Settled(key, *tree, accept);
  look.layout = SplitTree(*tree, look.named ? VersionNames::kLeadingZeros : VersionNames::kExact);
  for (const auto& [version, files] : look.layout.versions) {
    look.version_dirs[version] = storage.VersionDir(model, look.layout.FolderOf(version));
    // No version is complete while its configuration is being written.
    storage::TreeStat whole = look.layout.shared;
    whole.files.insert(whole.files.end(), files.files.begin(), files.files.end());
    if (Settled(key + "/" + std::to_string(version), whole, accept)) look.settled.insert(version);
  }
  look.config_file = ConfigFileOf(look.layout);
  look.rules = RulesOf(look);
  if (served != nullptr) {
    look.config_json = served->config_json;
    look.rules.policy = served->version_policy;
    look.rules.labels = served->version_labels;
  }
  return look;
}

base::Status Source::CheckOne(const std::string& model, const std::vector<size_t>& repositories) const {
  if (repositories.size() == 1) return base::OkStatus();
  return base::FailedPrecondition(std::string(kInTwoRepositories) + ": '" + model + "' is in '" +
                                  names_[repositories[0]] + "' and '" + names_[repositories[1]] + "'");
}

base::Result<std::vector<std::string>> Source::ListModels(size_t repository,
                                                          std::vector<base::Status>* problems) const {
  auto names = storages_[repository]->ListModels();
  if (!names.has_value() || storages_[repository].get() == served_storage_) return names;
  std::erase_if(*names, [&](const std::string& name) {
    base::Status usable = storage::CheckModelName(name);
    if (usable.ok()) return false;
    problems->push_back(usable.WithContext("model repository '" + names_[repository] + "'"));
    return true;
  });
  return names;
}

std::vector<ModelLook> Source::Look(bool accept, std::vector<base::Status>* problems) {
  std::map<std::string, std::vector<size_t>> found;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < storages_.size(); ++i) {
    const auto names = ListModels(i, problems);
    if (names.has_value()) {
      for (const std::string& name : *names) found[name].push_back(i);
      continue;
    }
    problems->push_back(names.error().WithContext("model repository '" + names_[i] + "'"));
    // The models of a repository that cannot be read stay as they were.
    for (const auto& [model, repository] : known_) {
      if (repository != i) continue;
      known[model] = i;
      told_.erase(model);
    }
  }
  std::vector<ModelLook> looks;
  for (const auto& [model, repositories] : found) {
    auto look = LookForNews(model, repositories, accept);
    if (look.has_value()) looks.push_back(*std::move(look));
  }
  for (const auto& [model, repositories] : found) known[model] = repositories.front();
  for (const auto& [model, repository] : known_) {
    if (known.contains(model)) continue;
    told_.erase(model);
    looks.push_back(LookInto(repository, model, accept));
    if (looks.back().changing) {
      known[model] = repository;
    } else {
      settle_.Forget(KeyOf(repository, model));
      rules_.erase(KeyOf(repository, model));
    }
  }
  known_ = std::move(known);
  return looks;
}

base::Result<ModelLook> Source::LookAt(const std::string& model, const std::string& repository) {
  for (size_t i = 0; i < storages_.size(); ++i) {
    if (!repository.empty() && names_[i] != repository) continue;
    const auto tree = storages_[i]->StatModel(model);
    if (!tree.has_value() && tree.error().code() == base::StatusCode::kNotFound) continue;
    known_[model] = i;
    NoteSeen(model, i);
    ModelLook look = LookInto(i, model, true);
    if (!look.problem.ok()) return std::unexpected(look.problem);
    return look;
  }
  NoteSeen(model, std::nullopt);
  return std::unexpected(
      base::NotFound("model not found in any model repository").WithContext(core::FailedToPoll(model)));
}

base::Result<std::set<std::string>> Source::ModelNames() const {
  std::set<std::string> models;
  for (size_t i = 0; i < storages_.size(); ++i) {
    const auto names = storages_[i]->ListModels();
    if (!names.has_value()) {
      return std::unexpected(names.error().WithContext("model repository '" + names_[i] + "'"));
    }
    models.insert(names->begin(), names->end());
  }
  return models;
}

// A folder that changed just now may change again with the same time stamp of the file system.
std::vector<std::optional<storage::ListStamp>> Source::StampsOfLists() const {
  std::vector<std::optional<storage::ListStamp>> stamps;
  for (const auto& storage : storages_) {
    std::optional<storage::ListStamp>& stamp = stamps.emplace_back(storage->StampOfList());
    if (stamp.has_value() && clock_.WallNs() - stamp->changed_ns < kStampNsMin) stamp.reset();
  }
  return stamps;
}

std::optional<Listing> Source::List(std::vector<base::Status>* problems) {
  auto stamps = StampsOfLists();
  const bool sure = std::ranges::all_of(stamps, [](const auto& stamp) { return stamp.has_value(); });
  if (sure && stamps == stamps_) return std::nullopt;
  stamps_ = std::move(stamps);
  std::map<std::string, std::vector<size_t>> found;
  std::set<size_t> unknown;
  for (size_t i = 0; i < storages_.size(); ++i) {
    const auto names = ListModels(i, problems);
    if (names.has_value()) {
      for (const std::string& name : *names) found[name].push_back(i);
      continue;
    }
    problems->push_back(names.error().WithContext("model repository '" + names_[i] + "'"));
    unknown.insert(i);
  }
  Listing listing;
  for (const auto& [model, repositories] : found) {
    const Listed now{.first = repositories.front(), .second = repositories[repositories.size() > 1 ? 1 : 0]};
    const auto [known, is_new] = listed_.try_emplace(model, now);
    if (!is_new && known->second == now) continue;
    known->second = now;
    listing.came.push_back(
        {.name = model, .repository = names_[repositories.front()], .problem = CheckOne(model, repositories)});
  }
  std::erase_if(listed_, [&](const auto& entry) {
    if (found.contains(entry.first) || unknown.contains(entry.second.first)) return false;
    listing.gone.push_back(entry.first);
    return true;
  });
  return listing;
}

void Source::NoteSeen(const std::string& model, std::optional<size_t> repository) {
  const auto listed = listed_.find(model);
  if (listed != listed_.end()) {
    if (!repository.has_value()) listed->second.doubted = true;
  } else if (repository.has_value()) {
    listed_[model] = {.first = *repository, .second = *repository, .doubted = true};
  }
}

}  // namespace inferd::repository
