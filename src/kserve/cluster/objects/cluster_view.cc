#include "kserve/cluster/objects/cluster_view.h"

#include <algorithm>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/trim.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::cluster {

namespace {

using kubernetes::ObjectName;
using kubernetes::ObjectPointer;
using kubernetes::Resource;
using manifest::TextAt;
using manifest::Value;

constexpr const char* kGatewayName = "inferd-gateway";
constexpr const char* kConfigurationName = "inferenceservice-config";

// "apps/v1" of all groups that the server has.
std::set<std::string> ApisOf(const Value& groups) {
  std::set<std::string> apis = {"v1"};
  const Value* const list = groups.Find("groups");
  if (list == nullptr) return apis;
  for (const Value& group : list->items()) {
    const Value* const versions = group.Find("versions");
    if (versions == nullptr) continue;
    for (const Value& version : versions->items()) apis.insert(TextAt(version, {"groupVersion"}));
  }
  return apis;
}

// As the webhook has it, where it is not asked: what is wrong with it is said in its status.
std::shared_ptr<const model::TrainedModel> ReadModel(const Value& document) {
  manifest::Problems problems;
  auto model = std::make_shared<model::TrainedModel>(model::ReadTrainedModel(document, problems));
  if (problems.empty()) problems = model::Validate(*model);
  if (!problems.empty()) model->fault = problems.front().ToString("");
  return model;
}

}  // namespace

ClusterView::ClusterView(kubernetes::Client& client, Options options, Changed changed, base::Logger& logger)
    : client_(client),
      options_(std::move(options)),
      changed_(std::move(changed)),
      logger_(logger),
      configuration_(std::make_shared<const Configuration>()),
      owned_(
          client,
          {.label = model::kInferenceServiceLabel, .namespaces = options_.namespaces, .on_owner = changed_.on_service},
          logger) {}

ClusterView::~ClusterView() {
  // Their threads call this object's methods until they end, with its lock free.
  std::map<std::string, std::unique_ptr<FollowedResource>> followed;
  const base::MutexLock lock(mutex_);
  services_ = nullptr;
  followed.swap(followed_);
  for (const auto& [key, resource] : followed) resource->RequestStop();
}

kubernetes::ApiResult<void> ClusterView::Discover(const std::stop_token& stop) {
  const auto groups = client_.GetDocument("/apis", stop);
  if (!groups.has_value()) return std::unexpected(groups.error());
  const auto gateway = DiscoverGateway(stop);
  if (!gateway.has_value()) return std::unexpected(gateway.error());
  bool first = false;
  bool changed = false;
  {
    const base::MutexLock lock(mutex_);
    std::set<std::string> apis = ApisOf(*groups);
    first = followed_.empty();
    changed = !first && (*gateway || apis != apis_);
    apis_ = std::move(apis);
  }
  const auto features = DiscoverFeatures(stop);
  if (!features.has_value()) return std::unexpected(features.error());
  changed |= *features && !first;
  if (first) FollowKServe();
  for (const WrittenResource& written : WrittenResources()) {
    if (!written.optional || Has(written.resource)) owned_.Follow(written.resource);
  }
  if (changed) QueueAll();
  return {};
}

kubernetes::ApiResult<bool> ClusterView::DiscoverGateway(const std::stop_token& stop) {
  const ObjectName name{options_.controller_namespace, kGatewayName};
  const auto found = client_.Get(PlainServices(), name, stop);
  if (!found.has_value() && found.error().code == 0) return std::unexpected(found.error());
  std::string host;
  if (found.has_value()) host = name.name + "." + name.namespace_name + ".svc.cluster.local";
  const base::MutexLock lock(mutex_);
  return std::exchange(gateway_host_, host) != host;
}

kubernetes::ApiResult<bool> ClusterView::DiscoverFeatures(const std::stop_token& stop) {
  bool takes = false;
  if (Has(KnativeServices())) {
    const auto found = client_.Get(ConfigMaps(), {"knative-serving", "config-features"}, stop);
    if (!found.has_value() && found.error().code == 0) return std::unexpected(found.error());
    takes = found.has_value() && TextAt(*found, {"data", "kubernetes.podspec-init-containers"}) == "enabled";
  }
  const base::MutexLock lock(mutex_);
  return std::exchange(init_containers_, takes) != takes;
}

bool ClusterView::revisions_take_init_containers() const {
  const base::MutexLock lock(mutex_);
  return init_containers_;
}

std::string ClusterView::gateway_host() const {
  const base::MutexLock lock(mutex_);
  return gateway_host_;
}

bool ClusterView::Has(const Resource& resource) const {
  const base::MutexLock lock(mutex_);
  return apis_.contains(resource.api_version());
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
          .field_selector = std::string("metadata.name=") + kConfigurationName,
          .trim = TrimManagedFields},
         [this](const Change& change) { OnConfiguration(change); });
  Follow({.resource = ClusterServingRuntimes(), .trim = TrimManagedFields},
         [this](const Change& change) { OnRuntime(change, true); });
  Follow({.resource = ServingRuntimes(), .namespaces = options_.namespaces, .trim = TrimManagedFields},
         [this](const Change& change) { OnRuntime(change, false); });
  Follow({.resource = TrainedModels(), .namespaces = options_.namespaces, .trim = TrimManagedFields},
         [this](const Change& change) { OnModel(change); });
  owned_.Follow(Pods());
  Follow({.resource = InferenceServices(), .namespaces = options_.namespaces, .trim = TrimManagedFields},
         [this](const Change& change) { changed_.on_service(change.name); });
}

void ClusterView::OnConfiguration(const Change& change) {
  auto read = std::make_shared<Configuration>();
  if (change.now != nullptr) {
    read->config = model::ReadInferenceServiceConfig(*change.now, read->problems);
  }
  for (const manifest::Problem& problem : read->problems) {
    logger_.Error("the configuration cannot be used", {{"why", problem.ToString("")}});
  }
  {
    const base::MutexLock lock(mutex_);
    // What runs goes on under the last one that could be read: its domain and its mode are in statuses.
    if (!read->problems.empty()) read->config = configuration_->config;
    configuration_ = std::move(read);
  }
  QueueAll();
}

void ClusterView::OnRuntime(const Change& change, bool cluster_wide) {
  std::shared_ptr<model::ServingRuntime> runtime;
  if (change.now != nullptr) {
    manifest::Problems problems;
    runtime = std::make_shared<model::ServingRuntime>(model::ReadServingRuntime(*change.now, cluster_wide, problems));
    if (!problems.empty()) {
      // The statuses of services that would use it say so.
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

bool ClusterView::synced() const {
  const base::MutexLock lock(mutex_);
  return services_ != nullptr && owned_.synced() &&
         std::ranges::all_of(followed_, [](const auto& followed) { return followed.second->synced(); });
}

ObjectPointer ClusterView::FindService(const ObjectName& name) const {
  const base::MutexLock lock(mutex_);
  return services_ == nullptr ? nullptr : services_->Find(name);
}

std::vector<ObjectPointer> ClusterView::Services() const {
  const base::MutexLock lock(mutex_);
  return services_ == nullptr ? std::vector<ObjectPointer>() : services_->All();
}

std::shared_ptr<const Configuration> ClusterView::configuration() const {
  const base::MutexLock lock(mutex_);
  return configuration_;
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
