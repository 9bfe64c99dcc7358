#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controlplane/api/object.h"
#include "manifest/value.h"

namespace inferd::controlplane {

// A field that the object's kind does not have, and that would be dropped without a word.
struct UnknownField {
  manifest::Position position{};
  std::string path;                       // "spec.predictor.model.storageURI"
  std::string name;                       // "storageURI"
  std::vector<std::string_view> known{};  // the names that there are in its place
};

// The fields of an object of KServe's that KServe 0.10 to 0.15 and Kubernetes 1.26 do not have (KServe:
// InferenceServiceSpec and others; Kubernetes: PodSpec, Container), down to containers, their variables, ports and
// mounts. What is deeper, and what stands in `status`, is not looked at. Thread-safe.
std::vector<UnknownField> FindUnknownFields(const Object& object);

}  // namespace inferd::controlplane
