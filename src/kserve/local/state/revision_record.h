#pragma once

#include <optional>
#include <string>

#include "data/manifest/value.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::local {

// One version of a component, as it is kept beyond this program's end. A value.
struct RevisionRecord {
  std::string component;        // "digits-predictor-default"
  int number = 0;               // from 1
  std::string service;          // "digits"
  std::string service_uid;      // of the service that it belongs to, and is deleted with
  model::ResolvedPod pod = {};  // as of a cluster

  // "digits-predictor-default-00001".
  std::string name() const;
};

// The record as Knative's object of the kind Revision (serving.knative.dev/v1); what such an object has no room for is
// in an annotation. Thread-safe.
manifest::Value MakeRevisionObject(const RevisionRecord& record);
// nullopt: the object is no such one.
std::optional<RevisionRecord> ReadRevisionObject(const manifest::Value& object);

}  // namespace inferd::local
