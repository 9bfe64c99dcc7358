#include "kserve/model/pods/inject/sidecar.h"

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "data/manifest/quantity.h"
#include "data/manifest/value_path.h"
#include "kserve/model/pods/image_tag.h"
#include "kserve/model/pods/pod_parts.h"

namespace inferd::model {

namespace {

using manifest::TextAt;
using manifest::Value;

constexpr std::string_view kOwnImageName = "inferd";

base::Status AddAmount(std::string_view kind, std::string_view resource, const std::string& amount,
                       std::string_view config_key, Value& resources) {
  if (amount.empty()) return base::OkStatus();
  const auto quantity = manifest::ParseQuantity(amount);
  if (!quantity.has_value()) {
    return base::InvalidArgument("Failed to parse resource configuration for \"" + std::string(config_key) + "\": \"" +
                                 quantity.error().message() + "\"");
  }
  resources.MapAt(kind).Set(resource, Text(amount));
  return base::OkStatus();
}

}  // namespace

bool IsOwnImage(const std::string& image) { return ImageName(image) == kOwnImageName; }

base::Result<Value> MakeSidecar(const SidecarKind& kind, const InferenceServiceConfig::Sidecar& settings,
                                const std::vector<std::string>& arguments, const Value& server) {
  Value container = Value::Map({{"name", Text(kind.name)}, {"image", Text(settings.image)}});
  if (IsOwnImage(settings.image)) container.Set("command", Value::List({Text(kind.program)}));
  std::vector<Value>& words = ListOf(container, "args");
  for (const std::string& argument : arguments) words.push_back(Text(argument));
  Value resources = Value::Map();
  using Amount = std::tuple<std::string_view, std::string_view, const std::string&>;
  for (const auto& [limit, resource, amount] :
       std::to_array<Amount>({{"limits", "cpu", settings.cpu_limit},
                              {"limits", "memory", settings.memory_limit},
                              {"requests", "cpu", settings.cpu_request},
                              {"requests", "memory", settings.memory_request}})) {
    INFERD_RETURN_IF_ERROR(AddAmount(limit, resource, amount, kind.config_key, resources));
  }
  if (!resources.members().empty()) container.Set("resources", std::move(resources));
  if (const Value* const context = server.Find("securityContext")) container.Set("securityContext", *context);
  return container;
}

Value RestrictedContext() {
  return Value::Map({{"allowPrivilegeEscalation", Value::Bool(false)},
                     {"capabilities", Value::Map({{"drop", Value::List({Text("ALL")})}})},
                     {"runAsNonRoot", Value::Bool(true)},
                     {"seccompProfile", Value::Map({{"type", Text("RuntimeDefault")}})}});
}

void Restrict(const Value& pod_spec, Value& container) {
  if (!IsOwnImage(TextAt(container, {"image"}))) return;
  const Value* const privileged = manifest::FieldAt(container, {"securityContext", "privileged"});
  if (privileged != nullptr && privileged->boolean()) return;
  const auto is_root = [](const Value& of) { return TextAt(of, {"securityContext", "runAsUser"}) == "0"; };
  const bool as_root = is_root(container) || is_root(pod_spec);
  Value& context = container.MapAt("securityContext");
  const Value restricted = RestrictedContext();
  for (const manifest::Member& field : restricted.members()) {
    if (field.key == "runAsNonRoot" && as_root) continue;
    if (std::as_const(context).Find(field.key) == nullptr) context.Set(field.key, field.value);
  }
}

Value MakeVolume(std::string_view name, std::string_view source, Value settings) {
  Value volume = Value::Map({{"name", Text(name)}});
  volume.Set(source, std::move(settings));
  return volume;
}

void AddVolumes(Value volumes, ResolvedPod& pod) {
  for (Value& volume : volumes.items()) {
    const Value* const name = std::as_const(volume).Find("name");
    if (name == nullptr || FindNamed(pod.pod_spec, "volumes", name->text()) != nullptr) continue;
    ListOf(pod.pod_spec, "volumes").push_back(std::move(volume));
  }
}

void AddMount(Value& container, std::string_view volume, std::string_view path, bool read_only) {
  if (FindNamed(container, "volumeMounts", volume) != nullptr) return;
  Value mount = Value::Map({{"name", Text(volume)}, {"mountPath", Text(path)}});
  if (read_only) mount.Set("readOnly", Value::Bool(true));
  ListOf(container, "volumeMounts").push_back(std::move(mount));
}

std::string AnnotationOf(const ResolvedPod& pod, const std::string& key) {
  const auto found = pod.annotations.find(key);
  return found == pod.annotations.end() ? std::string() : found->second;
}

}  // namespace inferd::model
