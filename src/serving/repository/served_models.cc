#include "serving/repository/served_models.h"

#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "serving/repository/records/wanted_versions.h"
#include "serving/repository/tree/no_versions.h"

namespace inferd::repository {

namespace {

// Valid as long as the models stay in place.
using ModelsByName = std::map<std::string_view, const config::ServedModel*>;

ModelsByName ByName(const std::vector<config::ServedModel>& models) {
  ModelsByName by_name;
  for (const config::ServedModel& model : models) by_name.emplace(model.name, &model);
  return by_name;
}

// TensorFlow Serving's rule and error text.
base::Status CheckPlatforms(const ModelsByName& before, const std::vector<config::ServedModel>& after) {
  for (const config::ServedModel& model : after) {
    const auto found = before.find(model.name);
    if (found == before.end() || found->second->platform == model.platform) continue;
    const config::ServedModel* const old = found->second;
    return base::InvalidArgument("Illegal to change a model's platform. For model " + model.name + " platform was " +
                                 old->platform + " and new platform requested is " + model.platform);
  }
  return base::OkStatus();
}

// Collects the results of new models. Each load waiter holds it; its destructor, when the last one releases it,
// answers. Thread-safe.
class Arrivals final {
 public:
  explicit Arrivals(core::ControlCallback done) : done_(std::move(done)) {}
  ~Arrivals() {
    done_(failed_ == 0
              ? base::OkStatus()
              : base::Status(base::StatusCode::kUnknown,
                             std::to_string(failed_) + " servable(s) did not become available: {" + failures_ + "}"));
  }
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  void Tried(const std::string& name, const base::Status& outcome) {
    if (outcome.ok()) return;
    const base::MutexLock lock(mutex_);
    if (failed_++ > 0) failures_ += ", ";
    failures_ += name + ": " + outcome.message();
  }

 private:
  core::ControlCallback done_;
  base::Mutex mutex_;
  int failed_ GUARDED_BY(mutex_) = 0;
  std::string failures_ GUARDED_BY(mutex_);
};

}  // namespace

struct ServedModels::Change {
  Change(const Models& served, const Models& wanted)
      : before(served), now(wanted), named_before(ByName(before)), named_now(ByName(now)) {}

  // Returns the entry that served the model so far. Null if the model is new.
  const config::ServedModel* Before(const std::string& name) const {
    const auto known = named_before.find(name);
    return known == named_before.end() ? nullptr : known->second;
  }

  const Models& before;
  const Models& now;
  const ModelsByName named_before;
  const ModelsByName named_now;
  std::vector<ModelLook> looks;  // as many as `now`
};

void ServedModels::Replace(Models models, core::ControlCallback done) {
  if (!options_.served_models.has_value()) {
    return done(base::FailedPrecondition("this server serves repositories, not models by name"));
  }
  calls_.Run(std::move(done),
             [this, models = std::move(models)](core::ControlCallback& answer) { return Apply(models, answer); });
}

base::Status ServedModels::Apply(const Models& models, core::ControlCallback& done) {
  base::MutexLock source_lock(source_.mutex);
  const Models before = source_.source->served();
  Change change(before, models);
  INFERD_RETURN_IF_ERROR(CheckPlatforms(change.named_before, models));
  source_.source->Serve(models);
  for (const config::ServedModel& model : models) change.looks.push_back(source_.source->LookAtServed(model.name));

  Deferred deferred;
  {
    base::MutexLock lock(state_.mutex);
    const base::Status status = state_.stopping ? ShuttingDown() : Check(change);
    if (!status.ok()) {
      source_.source->Serve(before);
      return status;
    }
    Make(change, std::move(done), deferred);
    stepper_.Conclude(state_, deferred);
  }
  source_lock.unlock();
  RunAll(deferred);
  return base::OkStatus();
}

base::Status ServedModels::Check(const Change& change) const {
  for (size_t i = 0; i < change.now.size(); ++i) {
    const config::ServedModel& model = change.now[i];
    const config::ServedModel* const before = change.Before(model.name);
    INFERD_RETURN_IF_ERROR(CheckBasePath(model, before, change.looks[i]));
    INFERD_RETURN_IF_ERROR(CheckLabels(model, before == nullptr, change.looks[i]));
  }
  return base::OkStatus();
}

// A mistyped path must not unload a model that serves.
base::Status ServedModels::CheckBasePath(const config::ServedModel& model, const config::ServedModel* before,
                                         const ModelLook& look) const {
  if (!look.problem.ok()) return look.problem;
  const ModelRecord* const record = state_.records.Find(model.name);
  const bool stays =
      before != nullptr && before->base_path == model.base_path && before->version_policy == model.version_policy;
  if (before == nullptr || stays || record == nullptr || !record->Available()) return base::OkStatus();
  return SelectWanted(look, {}, {}).empty() ? base::FailedPrecondition(DescribeNoVersions(look)) : base::OkStatus();
}

base::Status ServedModels::CheckLabels(const config::ServedModel& model, bool is_new, const ModelLook& look) const {
  const ModelRecord unknown{};
  const ModelRecord* const found = state_.records.Find(model.name);
  const ModelRecord& record = found == nullptr ? unknown : *found;
  const auto arriving = is_new ? SelectWanted(look, {}, {}) : std::map<int64_t, WantedVersion>();
  for (const auto& [label, version] : model.version_labels) {
    const auto known = record.versions.find(version);
    const auto old = record.labels.find(label);
    const bool serves = known != record.versions.end() && known->second.serving() != nullptr;
    const bool stays = old != record.labels.end() && old->second == version;
    const bool allowed = options_.labels_for_unavailable_versions && old == record.labels.end();
    if (serves || stays || allowed || record.LoadsOnDemand(version) || arriving.contains(version)) continue;
    return base::FailedPrecondition("Request to assign label to version " + std::to_string(version) + " of model " +
                                    model.name + ", which is not currently available for inference");
  }
  return base::OkStatus();
}

void ServedModels::Make(const Change& change, core::ControlCallback done, Deferred& deferred) {
  const auto arrivals = std::make_shared<Arrivals>(std::move(done));
  for (const config::ServedModel& model : change.before) {
    if (!change.named_now.contains(model.name)) EndNamed(model.name, deferred);
  }
  for (const ModelLook& look : change.looks) {
    if (change.Before(look.name) == nullptr) {
      state_.records.Add(look.name).load_waiters.push_back(
          [arrivals, name = look.name](const base::Status& outcome) { arrivals->Tried(name, outcome); });
    }
    ServeNamed(look, deferred);
  }
  // The last release answers, which must not happen under the lock.
  deferred.push_back([arrivals] {});
}

void ServedModels::ServeNamed(const ModelLook& look, Deferred& deferred) {
  ModelRecord& record = state_.records.Add(look.name);
  record.repository = look.repository;
  record.authority = Authority::kFolder;
  record.on_disk = true;
  record.changing = false;
  record.layout = look.layout;
  wants_.WantWhatIsThere(look, record, state_.problems);
  stepper_.Advance(state_, record, deferred);
}

void ServedModels::EndNamed(const std::string& name, Deferred& deferred) {
  ModelRecord* const record = state_.records.Change(name);
  if (record == nullptr) return;
  record->authority = Authority::kFolder;
  record->on_disk = false;
  record->layout = {};
  record->labels.clear();
  record->wanted.clear();
  record->problem = "unloaded";
  stepper_.Advance(state_, *record, deferred);
  stepper_.ForgetIfGone(state_, name);
}

}  // namespace inferd::repository
