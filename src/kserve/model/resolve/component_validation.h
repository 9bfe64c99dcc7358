#pragma once

#include "kserve/model/api/component.h"
#include "kserve/model/api/object_meta.h"
#include "kserve/model/resolve/document_problems.h"

namespace inferd::model {

// Validates replicas, concurrency, logger and autoscaling of the component under `spec.KEY`.
void ValidateExtension(std::string_view key, const ComponentExtension& extension, const ObjectMeta& metadata,
                       DocumentProblems& problems);

// Validates replicas and autoscaling of a graph's router, which are right under `spec`. The metric is not checked if
// the configuration decides the mode.
void ValidateScaling(const ComponentExtension& scaling, const ObjectMeta& metadata, DocumentProblems& problems);

// Validates the annotations of an InferenceService or a graph that choose its autoscaler.
void ValidateAutoscalerAnnotations(const ObjectMeta& metadata, DocumentProblems& problems);

}  // namespace inferd::model
