#include "kserve/local/objects/local_cluster.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "data/manifest/value_path.h"

namespace inferd::local {

namespace {

using apiserver::FindKind;
using apiserver::ObjectKey;
using apiserver::ObjectPtr;
using apiserver::ResourceType;
using manifest::Value;
using model::InferenceServiceConfig;

constexpr std::string_view kConfigName = "inferenceservice-config";

// Names the images of explainers, as KServe's installed configuration does. Images do not run here, but so a failure is
// reported for the explainer only.
void NameExplainers(InferenceServiceConfig& config) {
  for (const char* const kind : {"alibi", "aix", "art"}) {
    InferenceServiceConfig::ExplainerImage& explainer = config.explainers[kind];
    if (explainer.image.empty()) explainer = {"kserve/" + std::string(kind) + "-explainer", "latest"};
  }
}

// Returns KServe's configuration without a cluster: no Istio gateway, and a path besides the host name.
InferenceServiceConfig LocalConfig(const std::string& domain) {
  InferenceServiceConfig config;
  config.ingress.domain = domain;
  config.ingress.path_template = "/serving/{{ .Namespace }}/{{ .Name }}";
  config.ingress.disable_virtual_service = true;
  NameExplainers(config);
  return config;
}

const ResourceType& ConfigMaps() {
  static const ResourceType& kType = *FindKind("v1", "ConfigMap");
  return kType;
}

std::array<std::string, 2> RuntimeResources() {
  return {FindKind("serving.kserve.io/v1alpha1", "ServingRuntime")->resource(),
          FindKind("serving.kserve.io/v1alpha1", "ClusterServingRuntime")->resource()};
}

bool Decides(const ObjectKey& key) {
  static const std::array<std::string, 2> kRuntimes = RuntimeResources();
  return std::ranges::find(kRuntimes, key.resource) != kRuntimes.end() ||
         (key.resource == ConfigMaps().resource() && key.name == kConfigName);
}

}  // namespace

const ResourceType& ServiceType() {
  static const ResourceType& kType = *FindKind("serving.kserve.io/v1beta1", "InferenceService");
  return kType;
}

LocalCluster::LocalCluster(std::string domain) : domain_(std::move(domain)), config_(LocalConfig(domain_)) {}

LocalCluster::~LocalCluster() {
  if (store_ != nullptr) store_->Unsubscribe(subscription_);
}

base::Status LocalCluster::Open(const std::string& path, std::function<void()> on_change) {
  INFERD_ASSIGN_OR_RETURN(store_, apiserver::ObjectStore::Open(path));
  admission_ = std::make_unique<apiserver::Admission>(*store_, [this] { return ReadConfig(); });
  registry_ = std::make_unique<apiserver::Registry>(*store_, *admission_, clock_);
  const ResourceType& namespaces = *FindKind("v1", "Namespace");
  for (const std::string_view name : {"default", "kserve"}) {
    Value made = Value::Map();
    made.MapAt("metadata").Set("name", Value::String(std::string(name)));
    const auto created = registry_->Create(namespaces, "", std::move(made), {.internal = true});
    if (!created.has_value() && created.error().reason != "AlreadyExists") {
      return base::Unavailable(created.error().message);
    }
  }
  collector_ = std::make_unique<apiserver::GarbageCollector>(*registry_);
  events_ = std::make_unique<EventRecorder>(*registry_);
  subscription_ = store_->Subscribe(std::move(on_change));
  return base::OkStatus();
}

LocalCluster::Changes LocalCluster::Refresh() {
  collector_->Run();
  Changes changes;
  auto since = store_->ChangesSince(revision_, "", std::numeric_limits<size_t>::max());
  if (!since.has_value() || revision_ == 0) {
    // The first call, or the store has dropped older changes.
    revision_ = store_->revision();
    changes.decisions = true;
  } else {
    revision_ = since->revision;
    for (const apiserver::Change& change : since->changes) {
      changes.decisions |= Decides(change.object->key);
      changes.keys.insert(change.object->key);
    }
  }
  if (changes.decisions) {
    config_ = ReadConfig();
    ReadRuntimes();
  }
  return changes;
}

// Returns the configuration in KServe's namespace, else the first one. Thread-safe.
InferenceServiceConfig LocalCluster::ReadConfig() const {
  ObjectPtr found = store_->Get(apiserver::Registry::KeyOf(ConfigMaps(), "kserve", kConfigName));
  if (found == nullptr) {
    for (const ObjectPtr& object : store_->List(ConfigMaps().resource(), "").objects) {
      if (found == nullptr && object->key.name == kConfigName) found = object;
    }
  }
  if (found == nullptr) return LocalConfig(domain_);
  manifest::Problems problems;
  InferenceServiceConfig config =
      model::ReadInferenceServiceConfig(apiserver::ParseStored(found->json), problems, LocalConfig(domain_));
  config.ingress.disable_virtual_service = true;
  NameExplainers(config);
  return config;
}

void LocalCluster::ReadRuntimes() {
  runtimes_.clear();
  runtime_objects_.clear();
  for (const std::string& resource : RuntimeResources()) {
    for (const ObjectPtr& object : store_->List(resource, "").objects) {
      runtime_objects_.push_back(model::ReadObject(apiserver::ParseStored(object->json)));
      const auto* const runtime = std::get_if<model::ServingRuntime>(&runtime_objects_.back().typed);
      if (runtime != nullptr) runtimes_.push_back(runtime);
    }
  }
}

std::optional<model::Object> LocalCluster::Find(const ObjectKey& key) const {
  const ObjectPtr stored = store_->Get(key);
  if (stored == nullptr) return std::nullopt;
  Value document = apiserver::ParseStored(stored->json);
  if (manifest::FieldAt(document, {"metadata", "deletionTimestamp"}) != nullptr) return std::nullopt;
  return model::ReadObject(std::move(document));
}

std::vector<ObjectKey> LocalCluster::KeysOf(const std::string& resource) const {
  std::vector<ObjectKey> keys;
  for (const ObjectPtr& object : store_->List(resource, "").objects) keys.push_back(object->key);
  return keys;
}

}  // namespace inferd::local
