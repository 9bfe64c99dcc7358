#include "kserve/model/api/pod_spec.h"

#include <array>
#include <set>

#include "data/manifest/quantity.h"
#include "kserve/model/api/empty_values.h"

namespace inferd::model {

namespace {

using manifest::Fields;
using manifest::Value;

constexpr int64_t kPortMax = 65535;

void CheckPort(Fields& port, std::string_view key) {
  std::optional<int64_t> number;
  port.Read(key, number);
  if (number.has_value() && (*number < 1 || *number > kPortMax)) port.Fail(key, "must be between 1 and 65535");
}

void CheckEnvironment(Fields& container) {
  for (Fields variable : container.Maps("env")) {
    std::string name;
    std::optional<std::string> value;
    variable.Read("name", name);
    variable.Read("value", value);
    variable.Map("valueFrom");
    if (name.empty() && variable.Find("name") == nullptr) variable.Fail("name", "is required");
    if (value.has_value() && variable.Find("valueFrom") != nullptr) {
      variable.Fail("valueFrom", "may not be specified when `value` is not empty");
    }
  }
  for (Fields source : container.Maps("envFrom")) {
    source.Map("configMapRef");
    source.Map("secretRef");
  }
}

// Checks that a probe has exactly one handler, with a port. Kubernetes would refuse the pod only when it is created,
// long after the object that has the probe.
void CheckProbe(Fields& container, std::string_view key, ProbeCheck how) {
  std::optional<Fields> probe = container.Map(key);
  if (!probe.has_value()) return;
  bool has_handler = false;
  for (const std::string_view handler : {"httpGet", "tcpSocket", "grpc"}) {
    std::optional<Fields> at = probe->Map(handler);
    if (!at.has_value()) continue;
    has_handler = true;
    const Value* const port = at->Find("port");
    if (port == nullptr || IsUnset(*port)) at->Fail("port", "is required");
  }
  has_handler |= probe->Map("exec").has_value();
  const bool may_lack_handler = how == ProbeCheck::kServer || key == "readinessProbe";
  if (has_handler || may_lack_handler || IsUnset(probe->value())) return;
  // A handler of a wrong type is reported elsewhere.
  for (const std::string_view handler : {"httpGet", "tcpSocket", "grpc", "exec"}) {
    if (probe->Find(handler) != nullptr && !probe->Find(handler)->is(manifest::Kind::kNull)) return;
  }
  probe->Fail("", "must have one of httpGet, tcpSocket, exec and grpc");
}

void CheckUniqueNames(Fields& owner, std::string_view key) {
  std::set<std::string> names;
  for (Fields item : owner.Maps(key)) {
    std::string name;
    item.Read("name", name);
    if (!name.empty() && !names.insert(name).second) item.Fail("name", "Duplicate value: \"" + name + "\"");
  }
}

}  // namespace

void CheckResources(Fields& container) {
  std::optional<Fields> resources = container.Map("resources");
  if (!resources.has_value()) return;
  for (const std::string_view kind : {"limits", "requests"}) {
    std::optional<Fields> amounts = resources->Map(kind);
    if (!amounts.has_value()) continue;
    for (const manifest::Member& member : amounts->value().members()) {
      std::string text;
      amounts->ReadTextOrNumber(member.key, text);
      if (text.empty()) continue;
      const auto quantity = manifest::ParseQuantity(text);
      if (!quantity.has_value()) {
        amounts->Fail(member.key, quantity.error().message());
      } else if (quantity->milli < 0) {
        amounts->Fail(member.key, "must be greater than or equal to 0");
      }
    }
  }
}

void CheckContainer(Fields container, ProbeCheck probes) {
  std::string text;
  std::vector<std::string> texts;
  for (const std::string_view key : {"name", "image", "imagePullPolicy", "workingDir"}) container.Read(key, text);
  for (const std::string_view key : {"command", "args"}) container.Read(key, texts);
  CheckEnvironment(container);
  for (Fields port : container.Maps("ports")) {
    CheckPort(port, "containerPort");
    CheckPort(port, "hostPort");
    port.Read("name", text);
    port.Read("protocol", text);
    if (port.Find("containerPort") == nullptr) port.Fail("containerPort", "is required");
  }
  for (Fields mount : container.Maps("volumeMounts")) {
    bool read_only = false;
    mount.Read("name", text);
    mount.Read("mountPath", text);
    mount.Read("subPath", text);
    mount.Read("readOnly", read_only);
    for (const std::string_view key : {"name", "mountPath"}) {
      if (mount.Find(key) == nullptr) mount.Fail(key, "is required");
    }
  }
  CheckResources(container);
  for (const std::string_view key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    if (probes == ProbeCheck::kTypes) {
      container.Map(key);
    } else {
      CheckProbe(container, key, probes);
    }
  }
  for (const std::string_view key : {"lifecycle", "securityContext"}) container.Map(key);
}

void CheckPodSpec(Fields pod, ProbeCheck probes) {
  std::string text;
  manifest::StringMap map;
  ProbeCheck check = probes;
  for (const std::string_view key : {"containers", "initContainers"}) {
    for (const Fields& container : pod.Maps(key)) {
      CheckContainer(container, check);
      if (check == ProbeCheck::kServer) check = ProbeCheck::kWhole;  // for the containers after the first
    }
    CheckUniqueNames(pod, key);
  }
  CheckUniqueNames(pod, "volumes");
  pod.Read("nodeSelector", map);
  pod.Read("serviceAccountName", text);
  pod.Maps("tolerations");
  pod.Maps("imagePullSecrets");
  pod.Map("affinity");
  pod.Map("securityContext");
}

std::string_view FindEnvironment(const manifest::Value& container, std::string_view name) {
  const manifest::Value* variables = container.Find("env");
  if (variables == nullptr) return {};
  for (const manifest::Value& variable : variables->items()) {
    const manifest::Value* key = variable.Find("name");
    const manifest::Value* value = variable.Find("value");
    if (key != nullptr && value != nullptr && key->text() == name) return value->text();
  }
  return {};
}

}  // namespace inferd::model
