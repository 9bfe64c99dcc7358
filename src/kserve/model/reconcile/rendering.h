#pragma once

#include <expected>
#include <span>

#include "kserve/model/api/object.h"
#include "kserve/model/reconcile/desired_objects.h"
#include "kserve/model/resolve/review.h"

namespace inferd::model {

// Returns the objects of a valid service in a cluster whose only objects are `objects` and the runtimes of `context`
// (see ContextOf). TrainedModels, Secrets and ServiceAccounts are taken from `objects`. The service counts as new,
// without earlier revisions. With `revisions`, Knative's revisions get injected parts too (see TemplateInjection). The
// result points to the selected runtime. Thread-safe.
std::expected<DesiredObjects, ResolutionFailure> RenderService(const InferenceService& service,
                                                               std::span<const Object* const> objects,
                                                               const ReviewContext& context, bool revisions);

}  // namespace inferd::model
