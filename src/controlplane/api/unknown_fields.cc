#include "controlplane/api/unknown_fields.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "controlplane/api/component.h"
#include "manifest/problem.h"

namespace inferd::controlplane {

namespace {

using manifest::Kind;
using manifest::Value;

using FieldNames = std::vector<std::string_view>;

constexpr std::array<std::string_view, 24> kContainer = {"name",
                                                         "image",
                                                         "command",
                                                         "args",
                                                         "workingDir",
                                                         "ports",
                                                         "envFrom",
                                                         "env",
                                                         "resources",
                                                         "resizePolicy",
                                                         "volumeMounts",
                                                         "volumeDevices",
                                                         "livenessProbe",
                                                         "readinessProbe",
                                                         "startupProbe",
                                                         "lifecycle",
                                                         "restartPolicy",
                                                         "stdin",
                                                         "terminationMessagePath",
                                                         "imagePullPolicy",
                                                         "securityContext",
                                                         "stdinOnce",
                                                         "tty",
                                                         "terminationMessagePolicy"};

constexpr std::array<std::string_view, 40> kPodSpec = {"volumes",
                                                       "initContainers",
                                                       "containers",
                                                       "ephemeralContainers",
                                                       "restartPolicy",
                                                       "terminationGracePeriodSeconds",
                                                       "activeDeadlineSeconds",
                                                       "dnsPolicy",
                                                       "nodeSelector",
                                                       "serviceAccountName",
                                                       "serviceAccount",
                                                       "automountServiceAccountToken",
                                                       "nodeName",
                                                       "hostNetwork",
                                                       "hostPID",
                                                       "hostIPC",
                                                       "shareProcessNamespace",
                                                       "securityContext",
                                                       "imagePullSecrets",
                                                       "hostname",
                                                       "subdomain",
                                                       "affinity",
                                                       "schedulerName",
                                                       "tolerations",
                                                       "hostAliases",
                                                       "priorityClassName",
                                                       "priority",
                                                       "dnsConfig",
                                                       "readinessGates",
                                                       "runtimeClassName",
                                                       "enableServiceLinks",
                                                       "preemptionPolicy",
                                                       "overhead",
                                                       "topologySpreadConstraints",
                                                       "setHostnameAsFQDN",
                                                       "os",
                                                       "hostUsers",
                                                       "schedulingGates",
                                                       "resourceClaims",
                                                       "resources"};

constexpr std::array<std::string_view, 8> kModel = {"modelFormat",    "runtime",         "storageUri", "storage",
                                                    "runtimeVersion", "protocolVersion", "type",       "config"};

constexpr std::array<std::string_view, 22> kRuntime = {"supportedModelFormats",
                                                       "multiModel",
                                                       "disabled",
                                                       "protocolVersions",
                                                       "containers",
                                                       "volumes",
                                                       "nodeSelector",
                                                       "affinity",
                                                       "tolerations",
                                                       "labels",
                                                       "annotations",
                                                       "imagePullSecrets",
                                                       "grpcEndpoint",
                                                       "grpcDataEndpoint",
                                                       "httpDataEndpoint",
                                                       "replicas",
                                                       "storageHelper",
                                                       "builtInAdapter",
                                                       "hostIPC",
                                                       "workerSpec",
                                                       "initContainers",
                                                       "serviceAccountName"};

template <typename... Lists>
FieldNames Joined(const Lists&... lists) {
  FieldNames names;
  (names.insert(names.end(), lists.begin(), lists.end()), ...);
  return names;
}

class UnknownFieldFinder {
 public:
  std::vector<UnknownField> Take() { return std::move(found_); }

  void CheckService(const Value& spec, const std::string& path) {
    static const FieldNames service_names = {"predictor", "transformer", "explainer"};
    CheckNames(spec, path, service_names);
    ForMember(spec, path, "predictor", [&](const Value& component, const std::string& at) {
      CheckComponent(component, at, Joined(kLegacyFrameworks, std::array<std::string_view, 2>{"model", "huggingface"}));
    });
    ForMember(spec, path, "transformer",
              [&](const Value& component, const std::string& at) { CheckComponent(component, at, {}); });
    ForMember(spec, path, "explainer", [&](const Value& component, const std::string& at) {
      CheckComponent(component, at, {"alibi", "aix", "art"});
    });
  }

  void CheckRuntime(const Value& spec, const std::string& path) {
    CheckNames(spec, path, Joined(kRuntime));
    ForItems(spec, path, "supportedModelFormats", [&](const Value& format, const std::string& at) {
      CheckNames(format, at, {"name", "version", "autoSelect", "priority"});
    });
    CheckContainers(spec, path);
  }

  void CheckGraph(const Value& spec, const std::string& path) {
    CheckNames(spec, path,
               {"nodes", "resources", "affinity", "timeout", "minReplicas", "maxReplicas", "scaleTarget", "scaleMetric",
                "tolerations", "nodeSelector", "nodeName", "serviceAccountName", "routerTimeouts"});
    ForMember(spec, path, "nodes", [&](const Value& nodes, const std::string& at) {
      for (const manifest::Member& node : nodes.members()) {
        const std::string node_path = manifest::PathOf(at, node.key);
        CheckNames(node.value, node_path, {"routerType", "steps"});
        ForItems(node.value, node_path, "steps", [&](const Value& step, const std::string& step_path) {
          CheckNames(step, step_path,
                     {"name", "nodeName", "serviceName", "serviceUrl", "data", "weight", "condition", "dependency"});
        });
      }
    });
  }

  void CheckTrainedModel(const Value& spec, const std::string& path) {
    CheckNames(spec, path, {"inferenceService", "model"});
    ForMember(spec, path, "model", [&](const Value& model, const std::string& at) {
      CheckNames(model, at, {"storageUri", "framework", "memory"});
    });
  }

 private:
  template <typename Check>
  static void ForMember(const Value& map, const std::string& path, std::string_view key, Check check) {
    const Value* value = map.Find(key);
    if (value != nullptr && value->is(Kind::kMap)) check(*value, manifest::PathOf(path, key));
  }

  template <typename Check>
  static void ForItems(const Value& map, const std::string& path, std::string_view key, Check check) {
    const Value* list = map.Find(key);
    if (list == nullptr) return;
    for (size_t i = 0; i < list->items().size(); ++i) {
      check(list->items()[i], manifest::PathOf(manifest::PathOf(path, key), i));
    }
  }

  void CheckNames(const Value& map, const std::string& path, const FieldNames& known) {
    for (const manifest::Member& member : map.members()) {
      if (std::ranges::find(known, member.key) != known.end()) continue;
      found_.push_back({.position = member.position.line > 0 ? member.position : member.value.position(),
                        .path = manifest::PathOf(path, member.key),
                        .name = member.key,
                        .known = known});
    }
  }

  void CheckComponent(const Value& component, const std::string& path, const FieldNames& implementations) {
    CheckNames(component, path, Joined(kPodSpec, kComponentExtensionFields, implementations));
    CheckContainers(component, path);
    for (const std::string_view implementation : implementations) {
      ForMember(component, path, implementation, [&](const Value& model, const std::string& at) {
        CheckContainer(model, at, Joined(kContainer, kModel));
        ForMember(model, at, "modelFormat", [&](const Value& format, const std::string& format_path) {
          CheckNames(format, format_path, {"name", "version"});
        });
        ForMember(model, at, "storage", [&](const Value& storage, const std::string& storage_path) {
          CheckNames(storage, storage_path, {"path", "schemaPath", "key", "parameters"});
        });
      });
    }
    ForMember(component, path, "logger", [&](const Value& logger, const std::string& at) {
      CheckNames(logger, at, {"url", "mode", "metadataHeaders", "metadataAnnotations"});
    });
    ForMember(component, path, "batcher", [&](const Value& batcher, const std::string& at) {
      CheckNames(batcher, at, {"maxBatchSize", "maxLatency", "timeout"});
    });
  }

  void CheckContainers(const Value& pod, const std::string& path) {
    for (const std::string_view key : {"containers", "initContainers"}) {
      ForItems(pod, path, key, [&](const Value& container, const std::string& at) {
        CheckContainer(container, at, Joined(kContainer));
      });
    }
  }

  void CheckContainer(const Value& container, const std::string& path, const FieldNames& known) {
    CheckNames(container, path, known);
    ForItems(container, path, "env", [&](const Value& variable, const std::string& at) {
      CheckNames(variable, at, {"name", "value", "valueFrom"});
    });
    ForItems(container, path, "ports", [&](const Value& port, const std::string& at) {
      CheckNames(port, at, {"name", "hostPort", "containerPort", "protocol", "hostIP"});
    });
    ForItems(container, path, "volumeMounts", [&](const Value& mount, const std::string& at) {
      CheckNames(mount, at, {"name", "readOnly", "mountPath", "subPath", "mountPropagation", "subPathExpr"});
    });
    ForMember(container, path, "resources", [&](const Value& resources, const std::string& at) {
      CheckNames(resources, at, {"limits", "requests", "claims"});
    });
  }

  std::vector<UnknownField> found_;
};

}  // namespace

std::vector<UnknownField> FindUnknownFields(const Object& object) {
  UnknownFieldFinder finder;
  const Value* spec = object.document().Find("spec");
  if (spec == nullptr || !spec->is(Kind::kMap)) return {};
  if (std::holds_alternative<InferenceService>(object.typed)) finder.CheckService(*spec, "spec");
  if (std::holds_alternative<ServingRuntime>(object.typed)) finder.CheckRuntime(*spec, "spec");
  if (std::holds_alternative<InferenceGraph>(object.typed)) finder.CheckGraph(*spec, "spec");
  if (std::holds_alternative<TrainedModel>(object.typed)) finder.CheckTrainedModel(*spec, "spec");
  return finder.Take();
}

}  // namespace inferd::controlplane
