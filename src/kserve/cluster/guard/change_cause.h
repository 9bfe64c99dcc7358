#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "data/manifest/value.h"
#include "kserve/cluster/objects/configuration.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::cluster {

// The inputs of the decision about an owner's objects, except Secrets and ServiceAccounts.
struct DecisionInputs {
  std::string owner;  // DigestOfUsersPart
  std::shared_ptr<const Configuration> configuration{};
  std::string runtime{};         // kind and name of the runtime; empty if none
  std::string runtime_digest{};  // of the runtime's spec
  std::string features{};        // ClusterFeatures::Summary
};

// Returns a digest of what users write in a service or a graph: spec, labels and annotations. Thread-safe, like
// DocumentDigest.
std::string DigestOfUsersPart(const manifest::Value& owner);
std::string DocumentDigest(const manifest::Value& value);

// All kinds of causes except "user".
inline constexpr std::array<std::string_view, 7> kCauseKinds = {"configuration", "runtime", "features",  "objects",
                                                                "adoption",      "start",   "references"};

// The reason why an owner's objects change.
struct ChangeCause {
  std::string kind;   // one of kCauseKinds, or "user"
  std::string about;  // for people: "inferenceservice-config has changed"
  bool is_users = false;
  std::string object = {};  // the changed object of that kind; empty if there is only one
};

// Facts about the live objects that help to find the cause of their change.
struct WrittenBefore {
  bool by_us = false;      // they have the annotation of this program
  bool as_wanted = false;  // this program wrote exactly the wanted objects, so something else has changed them since
};

// Remembers, for each owner, the inputs with which its objects last had their wanted state. From that it derives why
// they change now. At the start it knows nothing, because an earlier controller may have had another version.
// Thread-safe.
class CauseMemory final {
 public:
  // Returns the cause of the change. `owner` is the live document.
  ChangeCause CauseOf(const manifest::Value& owner, const DecisionInputs& now, const WrittenBefore& before);
  // Records that the owner's objects have their wanted state.
  void NoteApplied(const kubernetes::ObjectName& owner, DecisionInputs inputs);
  void Forget(const kubernetes::ObjectName& owner);
  // Forgets everything, as at the start, because another process may have written meanwhile.
  void Clear();

 private:
  struct Entry {
    std::optional<DecisionInputs> applied{};
    std::string first_seen{};  // DigestOfUsersPart when it was first seen, before anything was applied
    bool was_edited = false;   // when first seen, its generation showed that a user had edited it
  };

  base::Mutex mutex_;
  std::map<kubernetes::ObjectName, Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
