#include "kserve/cluster/objects/ownership.h"

#include <algorithm>

#include "base/text/hex.h"
#include "base/text/stable_hash.h"
#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/api/object_meta.h"
#include "kserve/model/api/annotations.h"

namespace inferd::cluster {

namespace {

using manifest::FieldAt;
using manifest::Kind;
using manifest::TextAt;
using manifest::Value;

constexpr size_t kRevisionDigits = 5;
constexpr int kDigestDigits = 16;

const Value* ControllerOf(const Value& object) {
  const Value* const owners = FieldAt(object, {"metadata", "ownerReferences"});
  if (owners == nullptr) return nullptr;
  const auto found = std::ranges::find_if(owners->items(), [](const Value& owner) {
    const Value* const controls = owner.Find("controller");
    return controls != nullptr && controls->boolean();
  });
  return found == owners->items().end() ? nullptr : &*found;
}

// Appends members sorted by key, so that equal objects give the same text.
void AppendSorted(const Value& value, std::string& text) {
  if (value.is(Kind::kMap)) {
    std::vector<const manifest::Member*> members;
    for (const manifest::Member& member : value.members()) members.push_back(&member);
    std::ranges::sort(members, {}, [](const manifest::Member* member) -> const std::string& { return member->key; });
    text += '{';
    for (const manifest::Member* member : members) {
      text += manifest::ToJson(Value::String(member->key)) + ':';
      AppendSorted(member->value, text);
      text += ',';
    }
    text += '}';
  } else if (value.is(Kind::kList)) {
    text += '[';
    for (const Value& item : value.items()) {
      AppendSorted(item, text);
      text += ',';
    }
    text += ']';
  } else {
    text += manifest::ToJson(value);
  }
}

// The result is stored in the cluster, so it must never change for the same value.
std::string DigestOf(const Value& value) {
  std::string text;
  AppendSorted(value, text);
  std::string digest;
  base::AppendHex(digest, base::StableHash(text), kDigestDigits);
  return digest;
}

bool IsGraph(std::string_view kind) { return kind == InferenceGraphs().kind; }

}  // namespace

Claim ClaimOf(const Value& live, const Value& owner) {
  const Value* const controller = ControllerOf(live);
  const std::string& kind = TextAt(owner, {"kind"});
  const std::string& name = TextAt(owner, {"metadata", "name"});
  if (controller == nullptr) {
    return TextAt(live, {"metadata", "labels", OwnerLabel(kind)}) == name ? Claim::kFree : Claim::kForeign;
  }
  if (TextAt(*controller, {"uid"}) == kubernetes::UidOf(owner)) return Claim::kOwn;
  const bool same_kind = TextAt(*controller, {"kind"}) == kind &&
                         TextAt(*controller, {"apiVersion"}).starts_with(InferenceServices().group + "/");
  return same_kind && TextAt(*controller, {"name"}) == name ? Claim::kEarlier : Claim::kForeign;
}

bool ControlledByKnative(const Value& live) {
  const Value* const owner = ControllerOf(live);
  return owner != nullptr && TextAt(*owner, {"apiVersion"}).starts_with(KnativeServices().group + "/");
}

std::string OwnerText(const Value& live) {
  const Value* const owner = ControllerOf(live);
  if (owner == nullptr) return "it was made by something else";
  return "it is controlled by the " + TextAt(*owner, {"kind"}) + " \"" + TextAt(*owner, {"name"}) + "\"";
}

const std::string& OwnerLabel(std::string_view kind) {
  return IsGraph(kind) ? model::kInferenceGraphLabel : model::kInferenceServiceLabel;
}

bool IsNameOfService(std::string_view kind, const std::string& name, const std::string& service) {
  if (kind == "ConfigMap") return name == "modelconfig-" + service + "-0";
  if (name == service) return true;
  for (const std::string_view component : {"predictor", "transformer", "explainer"}) {
    const std::string object = service + "-" + std::string(component) + "-default";
    // The tags of a revision are reached under the last two names.
    if (name == object || name == "latest-" + object || name == "prev-" + object) return true;
    if (!name.starts_with(object + "-") || name.size() != object.size() + 1 + kRevisionDigits) continue;
    if (std::ranges::all_of(name.substr(object.size() + 1), [](char c) { return c >= '0' && c <= '9'; })) return true;
  }
  return false;
}

bool IsStray(const kubernetes::Resource& resource, const Value& live, const Value& owner) {
  if (ClaimOf(live, owner) != Claim::kOwn) return false;
  const std::string& name = TextAt(live, {"metadata", "name"});
  const std::string& owner_name = TextAt(owner, {"metadata", "name"});
  if (IsGraph(TextAt(owner, {"kind"}))) return name == owner_name;
  return IsNameOfService(resource.kind, name, owner_name);
}

std::string FieldManagerOf(const Value& owner) {
  return IsGraph(TextAt(owner, {"kind"})) ? "inferd-controller-graphs" : "inferd-controller";
}

Value ForWriting(Value wanted, const Value& owner) {
  Value& metadata = wanted.MapAt("metadata");
  metadata.MapAt("labels").Set(OwnerLabel(TextAt(owner, {"kind"})),
                               manifest::Text(TextAt(owner, {"metadata", "name"})));
  std::string digest = DigestOf(wanted);
  metadata.MapAt("annotations").Set(kWrittenAnnotation, Value::String(std::move(digest)));
  return wanted;
}

bool WasWritten(const Value& live, const Value& written) {
  const std::string& mark = TextAt(written, {"metadata", "annotations", kWrittenAnnotation});
  return !mark.empty() && TextAt(live, {"metadata", "annotations", kWrittenAnnotation}) == mark;
}

}  // namespace inferd::cluster
