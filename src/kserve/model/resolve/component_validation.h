#pragma once

#include "kserve/model/api/component.h"
#include "kserve/model/api/object_meta.h"
#include "kserve/model/resolve/document_problems.h"

namespace inferd::model {

// Replicas, concurrency, logger and autoscaling of a component called `key` under `spec`.
void ValidateExtension(std::string_view key, const ComponentExtension& extension, const ObjectMeta& metadata,
                       DocumentProblems& problems);

// Replicas and autoscaling of a graph's router, right under `spec`. What metrics there are is not said where the mode
// is the configuration's.
void ValidateScaling(const ComponentExtension& scaling, const ObjectMeta& metadata, DocumentProblems& problems);

// The annotations of an InferenceService or a graph that choose its autoscaler.
void ValidateAutoscalerAnnotations(const ObjectMeta& metadata, DocumentProblems& problems);

}  // namespace inferd::model
