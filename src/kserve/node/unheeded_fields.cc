#include "kserve/node/unheeded_fields.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::node {

namespace {

using manifest::Kind;
using manifest::Value;

// Fields that have an effect here, or that have nothing to apply to here.
constexpr std::array<std::string_view, 18> kOfPod = {"containers",
                                                     "serviceAccountName",
                                                     "serviceAccount",
                                                     "volumes",
                                                     "terminationGracePeriodSeconds",
                                                     "restartPolicy",
                                                     "dnsPolicy",
                                                     "schedulerName",
                                                     "enableServiceLinks",
                                                     "imagePullSecrets",
                                                     "preemptionPolicy",
                                                     "priorityClassName",
                                                     "priority",
                                                     "automountServiceAccountToken",
                                                     "hostNetwork",
                                                     "subdomain",
                                                     "hostname",
                                                     "topologySpreadConstraints"};
constexpr std::array<std::string_view, 14> kOfContainer = {"name",
                                                           "image",
                                                           "imagePullPolicy",
                                                           "command",
                                                           "args",
                                                           "env",
                                                           "envFrom",
                                                           "ports",
                                                           "volumeMounts",
                                                           "readinessProbe",
                                                           "terminationMessagePath",
                                                           "terminationMessagePolicy",
                                                           "stdin",
                                                           "resources"};

// Rights that a process of this machine's user does not have, or cannot give up.
constexpr std::array<std::string_view, 4> kRestricted = {"allowPrivilegeEscalation", "capabilities", "runAsNonRoot",
                                                         "seccompProfile"};

bool OnlyRestricts(const manifest::Member& member) {
  return member.key == "securityContext" &&
         std::ranges::all_of(member.value.members(), [](const manifest::Member& field) {
           return std::ranges::find(kRestricted, field.key) != kRestricted.end();
         });
}

bool IsEmpty(const Value& value) {
  const bool scalar = value.is(Kind::kBool) || value.is(Kind::kNumber) || value.is(Kind::kString);
  return !scalar && value.items().empty() && value.members().empty();
}

template <size_t kCount>
void AddOthers(const Value& map, const std::array<std::string_view, kCount>& known, const std::string& path,
               std::vector<std::string>& fields) {
  for (const manifest::Member& member : map.members()) {
    if (std::ranges::find(known, member.key) != known.end() || IsEmpty(member.value) || OnlyRestricts(member)) {
      continue;
    }
    fields.push_back(path + "." + member.key);
  }
}

}  // namespace

std::vector<std::string> UnheededFields(const model::ResolvedPod& pod) {
  std::vector<std::string> fields;
  AddOthers(pod.pod_spec, kOfPod, "spec", fields);
  const Value* const containers = pod.pod_spec.Find("containers");
  if (containers == nullptr || containers->items().empty()) return fields;
  const Value& container = containers->items().front();
  AddOthers(container, kOfContainer, "spec.containers[0]", fields);
  for (size_t i = 1; i < containers->items().size(); ++i) {
    fields.push_back("spec.containers[" + std::to_string(i) + "]");
  }
  return fields;
}

}  // namespace inferd::node
