#include <algorithm>

#include "base/mutex.h"
#include "repository/manager_core.h"
#include "repository/records/wanted_versions.h"
#include "repository/tree/no_versions.h"

// The models that are served by name: the set as a whole is replaced while the server runs.

namespace inferd::repository {

namespace {

using Models = std::vector<config::ServedModel>;

// As long as the models stay where they are.
using ModelsByName = std::map<std::string_view, const config::ServedModel*>;

ModelsByName ByName(const Models& models) {
  ModelsByName by_name;
  for (const config::ServedModel& model : models) by_name.emplace(model.name, &model);
  return by_name;
}

// TensorFlow Serving's rule and text.
base::Status CheckPlatforms(const ModelsByName& before, const Models& after) {
  for (const config::ServedModel& model : after) {
    const auto found = before.find(model.name);
    if (found == before.end() || found->second->platform == model.platform) continue;
    const config::ServedModel* const old = found->second;
    return base::InvalidArgument("Illegal to change a model's platform. For model " + model.name + " platform was " +
                                 old->platform + " and new platform requested is " + model.platform);
  }
  return base::OkStatus();
}

// Held by all that wait for new models; the last to let go of it answers. Thread-safe.
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

void Manager::Core::ReplaceModels(Models models, core::ControlCallback done) {
  if (!options_.served_models.has_value()) {
    return done(base::FailedPrecondition("this server serves repositories, not models by name"));
  }
  RunCall(std::move(done),
          [this, models = std::move(models)](core::ControlCallback& answer) { return ApplyModels(models, answer); });
}

base::Status Manager::Core::ApplyModels(const Models& models, core::ControlCallback& done) {
  base::MutexLock source_lock(source_mutex_);
  const Models before = source_->served();
  const ModelsByName named_before = ByName(before);
  const ModelsByName named_now = ByName(models);
  INFERD_RETURN_IF_ERROR(CheckPlatforms(named_before, models));
  source_->Serve(models);
  std::vector<ModelLook> looks;
  for (const config::ServedModel& model : models) looks.push_back(source_->LookAtServed(model.name));

  Deferred deferred;
  {
    base::MutexLock lock(mutex_);
    base::Status status = stopping_ ? base::Unavailable("the server is shutting down") : base::OkStatus();
    for (size_t i = 0; i < models.size() && status.ok(); ++i) {
      const auto known = named_before.find(models[i].name);
      const config::ServedModel* const old = known == named_before.end() ? nullptr : known->second;
      status = CheckBasePath(models[i], old, looks[i]);
      if (status.ok()) status = CheckLabels(models[i], old == nullptr, looks[i]);
    }
    if (!status.ok()) {
      source_->Serve(before);
      return status;
    }
    const auto arrivals = std::make_shared<Arrivals>(std::move(done));
    for (const config::ServedModel& model : before) {
      if (!named_now.contains(model.name)) EndNamed(model.name, deferred);
    }
    for (const ModelLook& look : looks) {
      if (!named_before.contains(look.name)) {
        records_.Add(look.name).load_waiters.push_back(
            [arrivals, name = look.name](const base::Status& outcome) { arrivals->Tried(name, outcome); });
      }
      ServeNamed(look, deferred);
    }
    // The last to let go answers, which is not to be done under the lock.
    deferred.push_back([arrivals] {});
    Conclude(deferred);
  }
  source_lock.unlock();
  for (auto& task : deferred) task();
  return base::OkStatus();
}

// A path that is mistyped must not unload what serves.
base::Status Manager::Core::CheckBasePath(const config::ServedModel& model, const config::ServedModel* before,
                                          const ModelLook& look) const {
  if (!look.problem.ok()) return look.problem;
  const ModelRecord* const record = records_.Find(model.name);
  const bool stays =
      before != nullptr && before->base_path == model.base_path && before->version_policy == model.version_policy;
  if (before == nullptr || stays || record == nullptr || !record->Available()) return base::OkStatus();
  return SelectWanted(look, {}, {}).empty() ? base::FailedPrecondition(DescribeNoVersions(look)) : base::OkStatus();
}

base::Status Manager::Core::CheckLabels(const config::ServedModel& model, bool is_new, const ModelLook& look) const {
  const ModelRecord unknown{};
  const ModelRecord* const found = records_.Find(model.name);
  const ModelRecord& record = found == nullptr ? unknown : *found;
  const auto arriving = is_new ? SelectWanted(look, {}, {}) : std::map<int64_t, WantedVersion>();
  for (const auto& [label, version] : model.version_labels) {
    const auto known = record.versions.find(version);
    const auto old = record.labels.find(label);
    const bool serves = known != record.versions.end() && known->second.serving != nullptr;
    const bool stays = old != record.labels.end() && old->second == version;
    const bool allowed = options_.labels_for_unavailable_versions && old == record.labels.end();
    if (serves || stays || allowed || record.LoadsOnDemand(version) || arriving.contains(version)) continue;
    return base::FailedPrecondition("Request to assign label to version " + std::to_string(version) + " of model " +
                                    model.name + ", which is not currently available for inference");
  }
  return base::OkStatus();
}

void Manager::Core::ServeNamed(const ModelLook& look, Deferred& deferred) {
  ModelRecord& record = records_.Add(look.name);
  record.repository = look.repository;
  record.authority = Authority::kFolder;
  record.on_disk = true;
  record.changing = false;
  record.layout = look.layout;
  WantWhatIsThere(look, record);
  Advance(record, deferred);
}

void Manager::Core::EndNamed(const std::string& name, Deferred& deferred) {
  ModelRecord* const known = records_.Change(name);
  if (known == nullptr) return;
  ModelRecord& record = *known;
  record.authority = Authority::kFolder;
  record.on_disk = false;
  record.layout = {};
  record.labels.clear();
  record.wanted.clear();
  record.problem = "unloaded";
  Advance(record, deferred);
  ForgetIfGone(name);
}

}  // namespace inferd::repository
