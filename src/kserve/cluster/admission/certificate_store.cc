#include "kserve/cluster/admission/certificate_store.h"

#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/admission/certificate_plan.h"
#include "kserve/cluster/admission/patch_between.h"
#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::cluster {

namespace {

constexpr std::string_view kMutating = "MutatingWebhookConfiguration";

kubernetes::Resource Configurations(std::string_view kind, std::string_view plural) {
  return {.group = "admissionregistration.k8s.io",
          .version = "v1",
          .kind = std::string(kind),
          .plural = std::string(plural),
          .namespaced = false};
}

const kubernetes::Resource& MutatingResource() {
  static const kubernetes::Resource resource = Configurations(kMutating, "mutatingwebhookconfigurations");
  return resource;
}

const kubernetes::Resource& ValidatingResource() {
  static const kubernetes::Resource resource =
      Configurations("ValidatingWebhookConfiguration", "validatingwebhookconfigurations");
  return resource;
}

// Selects one object by name. The program's rights for this kind are limited to that object.
Following Only(const kubernetes::Resource& resource, const kubernetes::ObjectName& name) {
  Following following{.resource = resource};
  if (resource.namespaced) following.namespaces.push_back(name.namespace_name);
  following.field_selector = "metadata.name=" + name.name;
  return following;
}

kubernetes::ObjectCache::OnChange Telling(const std::function<void()>& call) {
  return [&call](const kubernetes::ObjectCache::Change&) { call(); };
}

}  // namespace

ClusterCertificateStore::ClusterCertificateStore(kubernetes::Client& client, const CertificatePlaces& places,
                                                 std::function<void()> on_change, base::Logger& logger)
    : client_(client),
      secret_name_(places.secret),
      on_change_(std::move(on_change)),
      secrets_(client, Only(SecretResource(), places.secret), Telling(on_change_), logger),
      mutating_(client, Only(MutatingResource(), {"", places.webhook_name}), Telling(on_change_), logger),
      validating_(client, Only(ValidatingResource(), {"", places.webhook_name}), Telling(on_change_), logger) {}

bool ClusterCertificateStore::synced() const { return secrets_.synced() && mutating_.synced() && validating_.synced(); }

void ClusterCertificateStore::AddDoubts(std::vector<Doubt>& doubts) const {
  for (const FollowedResource* followed : {&secrets_, &mutating_, &validating_}) followed->AddDoubts(doubts);
}

kubernetes::ObjectPointer ClusterCertificateStore::secret() const { return secrets_.Find(secret_name_); }

std::vector<kubernetes::ObjectPointer> ClusterCertificateStore::configurations() const {
  std::vector<kubernetes::ObjectPointer> all = mutating_.All();
  for (kubernetes::ObjectPointer& one : validating_.All()) all.push_back(std::move(one));
  return all;
}

kubernetes::ApiResult<manifest::Value> ClusterCertificateStore::WriteSecret(const manifest::Value& secret) {
  if (kubernetes::ResourceVersionOf(secret).empty()) return client_.Create(SecretResource(), secret);
  return client_.Update(SecretResource(), secret);
}

kubernetes::ApiResult<manifest::Value> ClusterCertificateStore::WriteConfiguration(const manifest::Value& live,
                                                                                   const manifest::Value& wanted) {
  const bool mutating = manifest::TextAt(live, {"kind"}) == kMutating;
  manifest::Value patch = PatchBetween(live, wanted);
  // With this operation, the server refuses the patch as a conflict if the object has another version now.
  patch.items().push_back(manifest::Value::Map({{"op", manifest::Text("replace")},
                                                {"path", manifest::Text("/metadata/resourceVersion")},
                                                {"value", manifest::Text(kubernetes::ResourceVersionOf(live))}}));
  return client_.Patch(mutating ? MutatingResource() : ValidatingResource(), kubernetes::NameOf(live),
                       kubernetes::PatchType::kJson, patch);
}

}  // namespace inferd::cluster
