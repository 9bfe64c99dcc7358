#include "protocols/tfs_grpc/model_methods.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "protocols/rpc/control_method.h"
#include "protocols/tfs/version_status.h"
#include "protocols/tfs_grpc/codec/model_messages.h"
#include "protocols/tfs_grpc/codec/model_spec_reader.h"
#include "protocols/tfs_grpc/service_path.h"

namespace inferd::tfs_grpc {

namespace {

namespace serving = tensorflow::serving;

constexpr const char* kSignatureField = "signature_def";

RequestedModel ModelOf(bool given, const serving::ModelSpec& spec) {
  const std::string version = spec.has_version() ? std::to_string(spec.version().value()) : std::string();
  return {.given = given, .spec = {spec.name(), version, spec.version_label()}, .signature = spec.signature_name()};
}

base::Status CheckMetadataFields(const serving::GetModelMetadataRequest& request) {
  if (request.metadata_field_size() == 0) {
    return base::InvalidArgument("GetModelMetadataRequest must specify at least one metadata_field");
  }
  for (const std::string& field : request.metadata_field()) {
    if (field != kSignatureField) return base::InvalidArgument("Metadata field " + field + " is not supported");
  }
  return {};
}

base::Result<serving::GetModelMetadataResponse> GetModelMetadata(const Environment& environment,
                                                                 const serving::GetModelMetadataRequest& request) {
  if (!request.has_model_spec()) return std::unexpected(base::InvalidArgument("Missing ModelSpec"));
  INFERD_RETURN_IF_ERROR(CheckMetadataFields(request));
  RequestedModel model = ModelOf(true, request.model_spec());
  INFERD_ASSIGN_OR_RETURN(const auto pinned, FindModel(environment.dispatcher, model, environment.options.unready));
  serving::GetModelMetadataResponse response;
  *response.mutable_model_spec() = ModelSpecMessage(model.spec.model, pinned->version(), "");
  (*response.mutable_metadata())[kSignatureField].PackFrom(SignatureMessage(tfs::SignaturesToShow(*pinned)));
  return response;
}

// Returns no model if an unknown label stands for the version.
std::pair<std::string, std::string> Meant(const Environment& environment,
                                          const serving::GetModelMetadataRequest& request) {
  tfs::ModelSpec spec = ModelOf(true, request.model_spec()).spec;
  static_cast<void>(tfs::ResolveLabel(environment.dispatcher, spec));
  const core::VersionName name = spec.Name();
  return {std::string(name.model), std::string(name.version)};
}

base::Result<serving::GetModelStatusResponse> GetModelStatus(const Environment& environment,
                                                             const serving::GetModelStatusRequest& request) {
  if (!request.has_model_spec()) return std::unexpected(base::InvalidArgument("Missing ModelSpec"));
  RequestedModel model = ModelOf(true, request.model_spec());
  INFERD_RETURN_IF_ERROR(tfs::CheckModelSpec(model.spec));
  INFERD_RETURN_IF_ERROR(tfs::ResolveLabel(environment.dispatcher, model.spec));
  INFERD_ASSIGN_OR_RETURN(const auto versions, tfs::FindVersions(environment.catalog, model.spec));
  return StatusMessage(versions);
}

// Counters by their client-side names, with their values.
using CounterTotals = std::map<std::string, uint64_t>;

// Converts TensorFlow's name of a metric, "/tensorflow/serving/request_count", to the one on the metrics page.
std::string NameOnPage(std::string name) {
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, ':');
  return name;
}

uint64_t TotalOf(const Environment& environment, const std::string& name) {
  return environment.counter_total == nullptr ? 0 : environment.counter_total(NameOnPage(name));
}

serving::ReloadConfigResponse ReloadedMessage(const Environment& environment, const CounterTotals& before) {
  serving::ReloadConfigResponse response;
  response.mutable_status()->set_error_code(tensorflow::error::OK);
  for (const auto& [name, total] : before) {
    serving::Metric& metric = *response.add_metric();
    metric.set_name(name);
    metric.set_int64_value_increase(static_cast<int64_t>(TotalOf(environment, name) - total));
  }
  return response;
}

constexpr int kMetricNamesMax = 256;

net::grpc::Method HandleReloadConfigRequest(const std::shared_ptr<const Environment>& environment) {
  net::grpc::Method method{.path = ModelPath("HandleReloadConfigRequest")};
  method.unary = [environment](net::grpc::CallContext context, base::BufferSlice message,
                               net::grpc::Responder responder) {
    rpc::Call call(rpc::SurroundingsOf(*environment), context, std::move(responder));
    const auto request = net::grpc::Decode<serving::ReloadConfigRequest>(message);
    if (!request.has_value()) return call.Finish(request.error());
    if (request->metric_names_size() > kMetricNamesMax) {
      return call.Finish(base::InvalidArgument("expected at most " + std::to_string(kMetricNamesMax) +
                                               " metric_names, got " + std::to_string(request->metric_names_size())));
    }
    CounterTotals before;
    for (const std::string& name : request->metric_names()) before[name] = TotalOf(*environment, name);
    environment->reload(request->config().SerializeAsString(), [environment, before = std::move(before),
                                                                call = std::move(call)](base::Status outcome) mutable {
      rpc::AnswerWhenDone(std::move(call),
                          net::grpc::Encode(ReloadedMessage(*environment, before)))(std::move(outcome));
    });
  };
  return method;
}

}  // namespace

void AddModelMethods(const std::shared_ptr<const Environment>& environment, std::vector<net::grpc::Method>& methods) {
  methods.push_back(rpc::OnceLoaded(environment, PredictionPath("GetModelMetadata"), GetModelMetadata, Meant));
  methods.push_back(rpc::AtOnce(environment, ModelPath("GetModelStatus"), GetModelStatus));
  methods.push_back(HandleReloadConfigRequest(environment));
}

}  // namespace inferd::tfs_grpc
