#pragma once

#include <optional>
#include <string>

#include "data/manifest/value.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::local {

// One revision of a component, as recorded for later runs of this program. A value.
struct RevisionRecord {
  std::string component;        // "digits-predictor-default"
  int number = 0;               // from 1
  std::string service;          // "digits"
  std::string service_uid;      // of the service that owns it; the record is deleted with it
  model::ResolvedPod pod = {};  // as in a cluster

  // Returns "digits-predictor-default-00001".
  std::string name() const;
};

// Returns the record as a Knative Revision object (serving.knative.dev/v1). An annotation holds the fields that such an
// object lacks. Thread-safe.
manifest::Value MakeRevisionObject(const RevisionRecord& record);
// Reads such an object. nullopt if it is not one.
std::optional<RevisionRecord> ReadRevisionObject(const manifest::Value& object);

}  // namespace inferd::local
