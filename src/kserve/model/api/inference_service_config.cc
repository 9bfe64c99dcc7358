#include "kserve/model/api/inference_service_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "data/manifest/read.h"

namespace inferd::model {

namespace {

using manifest::Fields;
using manifest::Problems;

// The keys that this code uses. Newer versions of KServe have more.
constexpr std::array<std::string_view, 10> kKeys = {"ingress",           "deploy", "explainers", "storageInitializer",
                                                    "credentials",       "logger", "batcher",    "agent",
                                                    "metricsAggregator", "router"};

void ReadSidecar(Fields& fields, InferenceServiceConfig::Sidecar& sidecar) {
  fields.Read("image", sidecar.image);
  fields.Read("memoryRequest", sidecar.memory_request);
  fields.Read("memoryLimit", sidecar.memory_limit);
  fields.Read("cpuRequest", sidecar.cpu_request);
  fields.Read("cpuLimit", sidecar.cpu_limit);
}

void ReadIngress(Fields& fields, InferenceServiceConfig::Ingress& ingress) {
  const InferenceServiceConfig::Ingress otherwise = ingress;
  fields.Read("ingressGateway", ingress.gateway);
  fields.Read("ingressService", ingress.service);
  fields.Read("localGateway", ingress.local_gateway);
  fields.Read("localGatewayService", ingress.local_service);
  fields.Read("ingressDomain", ingress.domain);
  fields.Read("ingressClassName", ingress.class_name);
  fields.Read("domainTemplate", ingress.domain_template);
  // As in KServe, an empty text means that the setting is absent.
  if (ingress.domain.empty()) ingress.domain = otherwise.domain;
  if (ingress.domain_template.empty()) ingress.domain_template = otherwise.domain_template;
  fields.Read("urlScheme", ingress.url_scheme);
  fields.Read("pathTemplate", ingress.path_template);
  fields.Read("disableIstioVirtualHost", ingress.disable_virtual_service);
  fields.Read("disableIngressCreation", ingress.disable_creation);
  fields.Read("enableGatewayApi", ingress.enable_gateway_api);
  fields.Read("kserveIngressGateway", ingress.api_gateway);
  const auto slash = ingress.api_gateway.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == ingress.api_gateway.size()) {
    fields.Fail("kserveIngressGateway", "must be NAMESPACE/NAME");
  }
}

void ReadDeploy(Fields& fields, DeploymentMode& mode) {
  std::string name;
  fields.Read("defaultDeploymentMode", name);
  if (name.empty()) return fields.Fail("", "Invalid deploy config, defaultDeploymentMode is required.");
  if (const auto parsed = ParseDeploymentMode(name)) {
    mode = *parsed;
  } else {
    fields.Fail("", "Invalid deployment mode. Supported modes are Serverless, RawDeployment and ModelMesh");
  }
}

void ReadExplainers(Fields& fields, InferenceServiceConfig& config) {
  for (const manifest::Member& member : fields.value().members()) {
    std::optional<Fields> explainer = fields.Map(member.key);
    if (!explainer.has_value()) continue;
    InferenceServiceConfig::ExplainerImage& target = config.explainers[member.key];
    explainer->Read("image", target.image);
    explainer->Read("defaultImageVersion", target.default_version);
  }
}

void ReadCredentials(Fields& fields, InferenceServiceConfig::Credentials& credentials) {
  if (std::optional<Fields> gcs = fields.Map("gcs")) gcs->Read("gcsCredentialFileName", credentials.gcs_file_name);
  std::optional<Fields> s3 = fields.Map("s3");
  if (!s3.has_value()) return;
  s3->Read("s3AccessKeyIDName", credentials.s3.access_key_id_name);
  s3->Read("s3SecretAccessKeyName", credentials.s3.secret_access_key_name);
  s3->Read("s3Endpoint", credentials.s3.endpoint);
  s3->Read("s3UseHttps", credentials.s3.use_https);
  s3->Read("s3Region", credentials.s3.region);
  s3->Read("s3VerifySSL", credentials.s3.verify_ssl);
  s3->Read("s3UseVirtualBucket", credentials.s3.use_virtual_bucket);
  s3->Read("s3UseAnonymousCredential", credentials.s3.use_anonymous_credential);
  s3->Read("s3CABundle", credentials.s3.ca_bundle);
}

void ReadEntry(std::string_view key, Fields& fields, InferenceServiceConfig& config) {
  if (key == "ingress") ReadIngress(fields, config.ingress);
  if (key == "deploy") ReadDeploy(fields, config.default_mode);
  if (key == "explainers") ReadExplainers(fields, config);
  if (key == "storageInitializer") {
    ReadSidecar(fields, config.storage_initializer);
    fields.Read("storageSpecSecretName", config.credentials.storage_secret);
  }
  if (key == "credentials") ReadCredentials(fields, config.credentials);
  if (key == "logger") {
    ReadSidecar(fields, config.logger);
    fields.Read("defaultUrl", config.logger_url);
  }
  if (key == "batcher") ReadSidecar(fields, config.batcher);
  if (key == "agent") ReadSidecar(fields, config.agent);
  if (key == "metricsAggregator") {
    fields.Read("enableMetricAggregation", config.metrics.aggregation);
    fields.Read("enablePrometheusScraping", config.metrics.scraping);
  }
  if (key != "router") return;
  ReadSidecar(fields, config.router);
  if (std::optional<Fields> headers = fields.Map("headers")) headers->Read("propagate", config.propagated_headers);
}

// Reads a value of the ConfigMap, a JSON text. Its problems are reported for the key.
void ReadJsonEntry(Fields& data, const manifest::Member& member, InferenceServiceConfig& config) {
  if (std::ranges::find(kKeys, member.key) == kKeys.end()) return;
  if (!member.value.is(manifest::Kind::kString)) {
    return data.Fail(member.key, "must be a string, not " + std::string(KindName(member.value.kind())));
  }
  auto documents = manifest::ReadJson(member.value.text(), "");
  if (!documents.has_value()) {
    return data.Fail(member.key, "unable to parse " + member.key + " config json: " + documents.error().message());
  }
  if (documents->size() != 1) return data.Fail(member.key, "must be one JSON text");
  Problems problems;
  Fields fields(documents->front(), "", problems);
  ReadEntry(member.key, fields, config);
  for (const manifest::Problem& problem : problems) data.Fail(member.key, problem.ToString(""));
}

}  // namespace

InferenceServiceConfig::Sidecar InferenceServiceConfig::OwnSidecar() {
  return {.image = "inferd:latest",
          .memory_request = "100Mi",
          .memory_limit = "1Gi",
          .cpu_request = "100m",
          .cpu_limit = "1"};
}

std::string_view DeploymentModeName(DeploymentMode mode) {
  switch (mode) {
    case DeploymentMode::kServerless: return "Serverless";
    case DeploymentMode::kRawDeployment: return "RawDeployment";
    case DeploymentMode::kModelMesh: return "ModelMesh";
  }
  return "";
}

std::optional<DeploymentMode> ParseDeploymentMode(std::string_view name) {
  if (name == "Serverless" || name == "Knative") return DeploymentMode::kServerless;
  if (name == "RawDeployment" || name == "Standard") return DeploymentMode::kRawDeployment;
  if (name == "ModelMesh") return DeploymentMode::kModelMesh;
  return std::nullopt;
}

InferenceServiceConfig ReadInferenceServiceConfig(manifest::Value document, Problems& problems,
                                                  InferenceServiceConfig otherwise) {
  InferenceServiceConfig config = std::move(otherwise);
  config.document = std::move(document);
  Fields object(config.document, "", problems);
  config.metadata = ReadObjectMeta(object, true);
  std::optional<Fields> data = object.Map("data");
  if (!data.has_value()) return config;
  for (const manifest::Member& member : data->value().members()) ReadJsonEntry(*data, member, config);
  return config;
}

}  // namespace inferd::model
