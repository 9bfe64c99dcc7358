#include "protocols/tfs_http/model_status.h"

#include <string>

#include "config/model/model_config.h"
#include "protocols/rest/error_response.h"
#include "protocols/rest/model_names.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs/version_status.h"
#include "protocols/tfs_http/codec/model_json.h"

namespace inferd::tfs_http {

namespace {

// Answers KServe V1's "Model Ready".
net::HttpResponse ReadinessResponse(const Environment& environment, const tfs::ModelSpec& spec,
                                    const base::Status& readiness) {
  if (readiness.code() == base::StatusCode::kNotFound) {
    return rest::ErrorResponse(environment.options,
                               base::NotFound("Model with name " + spec.model + " does not exist."));
  }
  if (!readiness.ok()) {
    return rest::ErrorResponse(environment.options,
                               base::Unavailable("Model with name " + spec.model + " is not ready."));
  }
  return rest::JsonResponse(ReadinessJson({.name = spec.model, .ready = true}));
}

// Returns the server's setting, unless the model's configuration says that it is TensorFlow Serving's.
V1Status StatusFor(const Environment& environment, const tfs::ModelSpec& spec) {
  const V1Status status = environment.options.v1_status;
  if (status != V1Status::kKserve) return status;
  const auto found = environment.dispatcher.Find(spec.model, spec.version);
  const config::ModelConfig* const says = found.has_value() ? (*found)->configuration() : nullptr;
  const bool ours = says != nullptr && says->v1_dialect == config::V1Dialect::kTensorflowServing;
  return ours ? V1Status::kTfs : status;
}

}  // namespace

net::HttpResponse ModelsResponse(const Environment& environment) {
  if (environment.options.v1_status == V1Status::kTfs) {
    return rest::ErrorResponse(environment.options, base::InvalidArgument("Missing model name in request."));
  }
  return rest::JsonResponse(rest::ModelNamesJson(environment.catalog.ModelNames()));
}

base::Result<tfs::ModelSpec> StatusSpec(const Environment& environment, tfs::ModelSpec spec) {
  INFERD_RETURN_IF_ERROR(tfs::CheckModelSpec(spec));
  INFERD_RETURN_IF_ERROR(tfs::ResolveLabel(environment.dispatcher, spec));
  return spec;
}

net::HttpResponse StatusResponse(const Environment& environment, const tfs::ModelSpec& spec,
                                 const base::Status& readiness) {
  const V1Status form = StatusFor(environment, spec);
  if (form == V1Status::kKserve) return ReadinessResponse(environment, spec, readiness);
  const auto versions = tfs::FindVersions(environment.catalog, spec);
  if (!versions.has_value()) return rest::ErrorResponse(environment.options, versions.error());
  const Readiness ready{.name = spec.model, .ready = readiness.ok()};
  const bool both = form == V1Status::kUnion;
  return rest::JsonResponse(StatusJson(*versions, both ? &ready : nullptr));
}

net::HttpResponse MetadataResponse(const Environment& environment, tfs::ModelSpec spec) {
  const auto pinned = tfs::FindModel(environment.dispatcher, spec, environment.options.unready());
  if (!pinned.has_value()) return rest::ErrorResponse(environment.options, pinned.error());
  return rest::JsonResponse(MetadataJson(spec.model, (*pinned)->version(), tfs::SignaturesToShow(**pinned)));
}

}  // namespace inferd::tfs_http
