#include "kserve/cluster/objects/cluster_view.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/trim.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/reconcile/revision_objects.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::cluster {

namespace {

using kubernetes::ObjectName;
using kubernetes::ObjectPointer;
using kubernetes::Resource;
using manifest::TextAt;
using manifest::Value;

bool IsRevision(const Value& deployment) { return model::ReadRevision(deployment).has_value(); }

// True for a Deployment of a Knative revision. It proves that Knative exists, even if Knative's API is not found.
bool IsOfKnative(const Value& deployment) {
  const Value* const owners = manifest::FieldAt(deployment, {"metadata", "ownerReferences"});
  return owners != nullptr && std::ranges::any_of(owners->items(), [](const Value& owner) {
           return TextAt(owner, {"apiVersion"}).starts_with(KnativeServices().group + "/");
         });
}

// True if the Service's name leads to the gateway.
bool LeadsTo(const Value& service, const std::string& host) {
  return TextAt(service, {"spec", "externalName"}) == host;
}

// True for a Knative Service whose pods have init containers.
bool HasInitContainers(const Value& knative_service) {
  const Value* const list = manifest::FieldAt(knative_service, {"spec", "template", "spec", "initContainers"});
  return list != nullptr && !list->items().empty();
}

// True for a ConfigMap that lists TrainedModels that a server has loaded.
bool ListsModels(const Value& config_map) {
  const std::string& models = TextAt(config_map, {"data", "models.json"});
  return !models.empty() && models != "[]";
}

Evidence Worst(Evidence a, Evidence b) {
  if (a == Evidence::kContradicting || b == Evidence::kContradicting) return Evidence::kContradicting;
  return a == Evidence::kUnread ? a : b;
}

// Validates like the webhook, which may not be installed. The model's status reports the problem.
std::shared_ptr<const model::TrainedModel> ReadModel(const Value& document) {
  manifest::Problems problems;
  auto model = std::make_shared<model::TrainedModel>(model::ReadTrainedModel(document, problems));
  if (problems.empty()) problems = model::Validate(*model);
  if (!problems.empty()) model->fault = problems.front().ToString("");
  return model;
}

}  // namespace

ClusterView::ClusterView(kubernetes::Client& client, const base::Clock& clock, Options options, Changed changed,
                         base::Logger& logger)
    : client_(client),
      options_(std::move(options)),
      changed_(std::move(changed)),
      logger_(logger),
      features_(
          client, clock, options_.controller_namespace, [this](const Resource* feature) { return EvidenceOf(feature); },
          logger),
      keeper_(client, clock, options_.controller_namespace, logger),
      owned_(
          client,
          {.label = model::kInferenceServiceLabel, .namespaces = options_.namespaces, .on_owner = changed_.on_service},
          logger) {}

ClusterView::~ClusterView() {
  // The watches' threads call methods of this object until they end, so the lock must be free while they are joined.
  std::map<std::string, std::unique_ptr<FollowedResource>> followed;
  const base::MutexLock lock(mutex_);
  services_ = nullptr;
  followed.swap(followed_);
  for (const auto& [key, resource] : followed) resource->RequestStop();
}

void ClusterView::Discover(const std::stop_token& stop) {
  const bool changed = features_.Look(stop);
  if (stop.stop_requested()) return;
  bool first = false;
  {
    const base::MutexLock lock(mutex_);
    first = followed_.empty();
  }
  if (first) FollowKServe();
  for (const WrittenResource& written : WrittenResources()) {
    if (features_.Has(written.resource)) owned_.Follow(written.resource);
  }
  if (changed && !first) QueueAll();
}

Evidence ClusterView::EvidenceOf(const Resource& resource, const OwnedObjects::Matches& matches) const {
  const Evidence own = owned_.EvidenceOf(resource, matches);
  return options_.more_evidence ? Worst(own, options_.more_evidence(resource, matches)) : own;
}

Evidence ClusterView::EvidenceOf(const Resource* feature) const {
  if (feature == nullptr) {
    const std::string host = GatewayHostOf(options_.controller_namespace);
    const auto leads_there = [&](const Value& service) { return LeadsTo(service, host); };
    return Worst(owned_.EvidenceOf(Deployments(), IsRevision), owned_.EvidenceOf(PlainServices(), leads_there));
  }
  if (*feature == KnativeServices()) {
    const Evidence made = owned_.EvidenceOf(Deployments(), IsOfKnative);
    return Worst(made, EvidenceOf(*feature, [](const Value&) { return true; }));
  }
  if (*feature == ConfigMaps()) return EvidenceOf(KnativeServices(), HasInitContainers);
  return EvidenceOf(*feature, [](const Value&) { return true; });
}

Evidence ClusterView::MadeForServices() const {
  if (!owned_.empty()) return Evidence::kContradicting;
  SyncReport report;
  owned_.Report(report);
  return report.waits ? Evidence::kUnread : Evidence::kNone;
}

void ClusterView::Follow(Following following, kubernetes::ObjectCache::OnChange on_change) {
  const base::MutexLock lock(mutex_);
  std::unique_ptr<FollowedResource>& followed =
      followed_[following.resource.api_version() + "/" + following.resource.kind + following.field_selector];
  if (followed != nullptr) return;
  const bool services = following.resource == InferenceServices();
  followed = std::make_unique<FollowedResource>(client_, std::move(following), std::move(on_change), logger_);
  if (services) services_ = followed.get();
}

void ClusterView::FollowKServe() {
  Follow({.resource = ConfigMaps(),
          .namespaces = {options_.controller_namespace},
          .field_selector = std::string("metadata.name=") + ConfigurationKeeper::kName,
          .trim = TrimManagedFields},
         [this](const Change& change) { OnConfiguration(change); });
  // Without the namespace's own runtimes, services would use those of the cluster, and their pods would be replaced.
  const auto made = [this] { return MadeForServices(); };
  // Without TrainedModels, servers would unload their models.
  const auto listed = [this] { return owned_.EvidenceOf(ConfigMaps(), ListsModels); };
  Follow({.resource = ClusterServingRuntimes(), .trim = TrimManagedFields, .evidence = made},
         [this](const Change& change) { OnRuntime(change, true); });
  Follow(
      {.resource = ServingRuntimes(), .namespaces = options_.namespaces, .trim = TrimManagedFields, .evidence = made},
      [this](const Change& change) { OnRuntime(change, false); });
  Follow(
      {.resource = TrainedModels(), .namespaces = options_.namespaces, .trim = TrimManagedFields, .evidence = listed},
      [this](const Change& change) { OnModel(change); });
  owned_.Follow(Pods());
  Follow(
      {.resource = InferenceServices(), .namespaces = options_.namespaces, .trim = TrimManagedFields, .evidence = made},
      [this](const Change& change) { changed_.on_service(change.name); });
}

void ClusterView::OnConfiguration(const Change& change) {
  keeper_.Take(change.now.get());
  QueueAll();
}

bool ClusterView::SettleConfiguration(bool more_was_made, const std::stop_token& stop) {
  return keeper_.Settle(more_was_made || !owned_.empty(), stop);
}

std::vector<Doubt> ClusterView::doubts() const {
  std::vector<Doubt> doubts = features_.doubts();
  std::ranges::move(keeper_.doubts(), std::back_inserter(doubts));
  owned_.AddDoubts(doubts);
  const base::MutexLock lock(mutex_);
  for (const auto& [key, followed] : followed_) followed->AddDoubts(doubts);
  return doubts;
}

void ClusterView::OnRuntime(const Change& change, bool cluster_wide) {
  std::shared_ptr<model::ServingRuntime> runtime;
  if (change.now != nullptr) {
    manifest::Problems problems;
    runtime = std::make_shared<model::ServingRuntime>(model::ReadServingRuntime(*change.now, cluster_wide, problems));
    if (!problems.empty()) {
      // The statuses of the services that would use the runtime report this.
      runtime->fault = problems.front().ToString("");
      logger_.Error("a runtime cannot be used",
                    {{"namespace", change.name.namespace_name}, {"name", change.name.name}, {"why", runtime->fault}});
    }
  }
  {
    const base::MutexLock lock(mutex_);
    if (runtime == nullptr) {
      runtimes_.erase(change.name);
    } else {
      runtimes_.insert_or_assign(change.name, std::move(runtime));
    }
  }
  for (const ObjectPointer& service : Services()) {
    ObjectName name = kubernetes::NameOf(*service);
    if (cluster_wide || name.namespace_name == change.name.namespace_name) changed_.on_service(name);
  }
}

void ClusterView::OnModel(const Change& change) {
  const auto queue = [&](const ObjectPointer& object) {
    if (object != nullptr)
      changed_.on_service({change.name.namespace_name, TextAt(*object, {"spec", "inferenceService"})});
  };
  {
    const base::MutexLock lock(mutex_);
    models_.erase(change.name);
    if (change.now != nullptr) models_.emplace(change.name, ReadModel(*change.now));
  }
  queue(change.before);
  queue(change.now);
}

void ClusterView::Report(SyncReport& report) const {
  owned_.Report(report);
  const base::MutexLock lock(mutex_);
  report.waits |= services_ == nullptr || !features_.known();
  for (const auto& [key, followed] : followed_) followed->Report(report);
}

void ClusterView::Hold(std::set<std::string> namespaces) {
  const base::MutexLock lock(mutex_);
  held_ = std::move(namespaces);
}

bool ClusterView::IsHeld(const std::string& namespace_name) const {
  const base::MutexLock lock(mutex_);
  return held_.contains(namespace_name);
}

ObjectPointer ClusterView::FindService(const ObjectName& name) const {
  const base::MutexLock lock(mutex_);
  return services_ == nullptr ? nullptr : services_->Find(name);
}

std::vector<ObjectPointer> ClusterView::Services() const {
  const base::MutexLock lock(mutex_);
  return services_ == nullptr ? std::vector<ObjectPointer>() : services_->All();
}

Runtimes ClusterView::runtimes() const {
  Runtimes runtimes;
  const base::MutexLock lock(mutex_);
  for (const auto& [name, runtime] : runtimes_) runtimes.push_back(runtime);
  return runtimes;
}

Models ClusterView::ModelsOf(const ObjectName& service) const {
  Models models;
  const base::MutexLock lock(mutex_);
  for (const auto& [name, model] : models_) {
    if (name.namespace_name == service.namespace_name && model->inference_service == service.name) {
      models.push_back(model);
    }
  }
  return models;
}

void ClusterView::QueueAll() const {
  for (const ObjectPointer& service : Services()) changed_.on_service(kubernetes::NameOf(*service));
  changed_.on_all();
}

}  // namespace inferd::cluster
