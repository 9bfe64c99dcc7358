#include "kserve/cluster/services/template_credentials.h"

#include <algorithm>
#include <functional>
#include <string>

#include "data/manifest/value_path.h"

namespace inferd::cluster {

namespace {

using manifest::FieldAt;
using manifest::TextAt;
using manifest::Value;

bool AnyOf(const Value* list, const std::function<bool(const Value&)>& is) {
  return list != nullptr && list->is(manifest::Kind::kList) && std::ranges::any_of(list->items(), is);
}

// True for the containers that fetch models.
bool BringsModels(const Value& container) {
  const std::string& name = TextAt(container, {"name"});
  return name == "storage-initializer" || name == "agent";
}

// An empty `secret` matches any Secret.
bool RefersTo(const std::string& found, std::string_view secret) {
  return !found.empty() && (secret.empty() || found == secret);
}

bool ReadsSecret(const Value& pod_spec, const Value& container, std::string_view secret) {
  const bool has_variable = AnyOf(container.Find("env"), [&](const Value& variable) {
    return RefersTo(TextAt(variable, {"valueFrom", "secretKeyRef", "name"}), secret);
  });
  return has_variable || AnyOf(container.Find("volumeMounts"), [&](const Value& mount) {
           return AnyOf(pod_spec.Find("volumes"), [&](const Value& volume) {
             return TextAt(volume, {"name"}) == TextAt(mount, {"name"}) &&
                    RefersTo(TextAt(volume, {"secret", "secretName"}), secret);
           });
         });
}

bool UsesSecret(const Value& pod_spec, std::string_view secret) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"initContainers", "containers"},
                             [&](std::string_view key) {
                               return AnyOf(pod_spec.Find(key), [&](const Value& container) {
                                 return BringsModels(container) && ReadsSecret(pod_spec, container, secret);
                               });
                             });
}

}  // namespace

bool HasCredentialsOf(std::span<const Value* const> objects, std::string_view kind, std::string_view name) {
  return std::ranges::any_of(objects, [&](const Value* object) {
    const Value* const pod_spec = FieldAt(*object, {"spec", "template", "spec"});
    if (pod_spec == nullptr || !pod_spec->is(manifest::Kind::kMap)) return false;
    if (kind == "Secret") return UsesSecret(*pod_spec, name);
    const std::string& account = TextAt(*pod_spec, {"serviceAccountName"});
    return (account.empty() ? "default" : account) == name && UsesSecret(*pod_spec, "");
  });
}

}  // namespace inferd::cluster
