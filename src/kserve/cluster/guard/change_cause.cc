#include "kserve/cluster/guard/change_cause.h"

#include <utility>

#include "base/text/hex.h"
#include "base/text/stable_hash.h"
#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::cluster {

namespace {

using manifest::FieldAt;
using manifest::TextAt;
using manifest::Value;

constexpr int kDocumentDigits = 16;

ChangeCause UsersCause() { return {.kind = "user", .about = "it was changed itself", .is_users = true}; }

// Returns true if this program wrote the status for an earlier generation.
bool WasEditedSince(const Value& owner) {
  const auto generation = manifest::ParseInt64(TextAt(owner, {"metadata", "generation"}));
  const auto observed = manifest::ParseInt64(TextAt(owner, {"status", "observedGeneration"}));
  return generation.has_value() && observed.has_value() && *generation > *observed;
}

}  // namespace

std::string DocumentDigest(const Value& value) {
  std::string digest;
  base::AppendHex(digest, base::StableHash(manifest::ToJson(value)), kDocumentDigits);
  return digest;
}

std::string DigestOfUsersPart(const Value& owner) {
  // Each write of a spec raises the generation. If a spec differs at the same generation, it was converted from another
  // version of its definition.
  const Value* const generation = FieldAt(owner, {"metadata", "generation"});
  Value part = Value::List();
  for (const Value* each :
       {generation == nullptr ? owner.Find("spec") : generation, FieldAt(owner, {"metadata", "uid"}),
        FieldAt(owner, {"metadata", "labels"}), FieldAt(owner, {"metadata", "annotations"})}) {
    part.items().push_back(each == nullptr ? Value() : *each);
  }
  return DocumentDigest(part);
}

ChangeCause CauseMemory::CauseOf(const Value& owner, const DecisionInputs& now, const WrittenBefore& before) {
  const base::MutexLock lock(mutex_);
  const auto [found, is_first] = entries_.try_emplace(kubernetes::NameOf(owner));
  Entry& entry = found->second;
  if (is_first) {
    entry.first_seen = now.owner;
    // The status says nothing about objects that another program created.
    entry.was_edited = before.by_us && WasEditedSince(owner);
  }
  const std::string& known = entry.applied.has_value() ? entry.applied->owner : entry.first_seen;
  if (entry.was_edited || known != now.owner) return UsersCause();
  if (entry.applied.has_value()) {
    const DecisionInputs& was = *entry.applied;
    if (was.configuration != now.configuration) {
      return {.kind = "configuration", .about = "the ConfigMap inferenceservice-config has changed"};
    }
    if (was.runtime != now.runtime || was.runtime_digest != now.runtime_digest) {
      const std::string runtime = now.runtime.empty() ? was.runtime : now.runtime;
      return {.kind = "runtime", .about = "the " + runtime + " has changed", .object = runtime};
    }
    if (was.features != now.features) {
      return {.kind = "features", .about = "the cluster has other APIs, or another gateway, than before"};
    }
  }
  if (before.as_wanted) return {.kind = "objects", .about = "something else has changed its objects"};
  if (!before.by_us) return {.kind = "adoption", .about = "another controller has made its objects"};
  if (!entry.applied.has_value()) {
    return {.kind = "start",
            .about = "its runtime, inferenceservice-config or the controller is another than when they were written"};
  }
  return {.kind = "references", .about = "a Secret, a ServiceAccount or something else that it names has changed"};
}

void CauseMemory::NoteApplied(const kubernetes::ObjectName& owner, DecisionInputs inputs) {
  const base::MutexLock lock(mutex_);
  entries_.insert_or_assign(owner, Entry{.applied = std::move(inputs)});
}

void CauseMemory::Forget(const kubernetes::ObjectName& owner) {
  const base::MutexLock lock(mutex_);
  entries_.erase(owner);
}

void CauseMemory::Clear() {
  const base::MutexLock lock(mutex_);
  entries_.clear();
}

}  // namespace inferd::cluster
