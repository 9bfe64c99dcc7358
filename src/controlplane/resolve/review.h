#pragma once

#include <optional>
#include <span>
#include <vector>

#include "controlplane/api/object.h"
#include "controlplane/resolve/runtime_selection.h"
#include "manifest/problem.h"

namespace inferd::controlplane {

// What is known of an object before it is applied.
struct ObjectReview {
  const Object* object = nullptr;
  manifest::Problems problems;                // empty: it can be applied
  std::optional<RuntimeSelection> selection;  // of an InferenceService whose predictor is a model
};

// Reviews objects that are applied together: reads, defaults and validates each, and selects the runtimes of the
// InferenceServices among `known` and those that are applied, which go before known ones of the same name. The last
// inferenceservice-config of the objects is the configuration. All arguments outlive the result. Thread-safe.
std::vector<ObjectReview> ReviewObjects(std::span<const Object* const> objects,
                                        std::span<const ServingRuntime* const> known);

}  // namespace inferd::controlplane
