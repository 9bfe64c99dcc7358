#pragma once

#include <expected>
#include <span>

#include "kserve/model/api/object.h"
#include "kserve/model/reconcile/desired_objects.h"
#include "kserve/model/resolve/review.h"

namespace inferd::model {

// The objects that a service would have in a cluster that has nothing but `objects`, and the runtimes of their context
// (ContextOf): TrainedModels, Secrets and ServiceAccounts are looked for among them, and the service has not run
// before. With `revisions`, Knative's revisions have what is injected into pods, too (TemplateInjection). The service
// is valid. All arguments outlive the call alone. Thread-safe.
std::expected<DesiredObjects, ResolutionFailure> RenderService(const InferenceService& service,
                                                               std::span<const Object* const> objects,
                                                               const ReviewContext& context, bool revisions);

}  // namespace inferd::model
