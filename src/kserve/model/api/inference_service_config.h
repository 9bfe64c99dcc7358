#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

enum class DeploymentMode { kServerless, kRawDeployment, kModelMesh };

std::string_view DeploymentModeName(DeploymentMode mode);
// Parses the name of a mode. Also accepts the names of KServe 0.16: Standard is RawDeployment, Knative is Serverless.
// nullopt if the name is unknown.
std::optional<DeploymentMode> ParseDeploymentMode(std::string_view name);

// KServe 0.10: the ConfigMap inferenceservice-config, with its document. Each value of the ConfigMap is a JSON text. A
// setting that the ConfigMap leaves out keeps the default below. Settings that this code does not use stay in the
// document.
struct InferenceServiceConfig {
  struct ExplainerImage {
    std::string image;
    std::string default_version;
  };
  // An image that runs beside a model, and its resources. Empty if not configured.
  struct Sidecar {
    std::string image;
    std::string memory_request, memory_limit, cpu_request, cpu_limit;
  };
  // Returns inferd's own image with the resources that KServe's configuration gives to KServe's image.
  static Sidecar OwnSidecar();
  struct Ingress {
    static constexpr std::string_view kNoDomain = "example.com";

    std::string gateway, service;              // required in serverless mode
    std::string local_gateway, local_service;  // within the cluster
    std::string domain = std::string(kNoDomain);
    std::string class_name;
    std::string domain_template = "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}";
    std::string url_scheme = "http";
    std::string path_template;
    bool disable_virtual_service = false;
    // Settings of newer versions of KServe: create no route from outside; create HTTPRoutes of the gateway
    // "namespace/name" instead of Ingresses.
    bool disable_creation = false;
    bool enable_gateway_api = false;
    std::string api_gateway = "kserve/kserve-ingress-gateway";
  };
  // Default annotations for the metrics of pods: "true" or "false". Empty if none is set. The service's own annotations
  // win.
  struct Metrics {
    std::string aggregation, scraping;
  };

  // Settings of the storage initializer: the names of keys in secrets, and the S3 settings for secrets whose
  // annotations leave them out.
  struct Credentials {
    struct S3 {
      std::string access_key_id_name = "awsAccessKeyID";
      std::string secret_access_key_name = "awsSecretAccessKey";
      std::string endpoint, use_https, region, verify_ssl, use_virtual_bucket, use_anonymous_credential, ca_bundle;
    };
    S3 s3 = {};
    std::string gcs_file_name = "gcloud-application-credentials.json";
    std::string storage_secret = "storage-config";  // the secret of storage specifications
  };

  manifest::Value document;
  ObjectMeta metadata;
  DeploymentMode default_mode = DeploymentMode::kServerless;
  Ingress ingress;
  std::map<std::string, ExplainerImage> explainers;
  Sidecar storage_initializer = OwnSidecar();
  Credentials credentials;
  Sidecar logger;
  std::string logger_url;  // the URL for loggers that name none
  Sidecar batcher;
  Sidecar agent = OwnSidecar();
  Sidecar router = OwnSidecar();  // of InferenceGraphs
  Metrics metrics;
  std::vector<std::string> propagated_headers;  // headers that a graph's router passes on
};

// Reads the ConfigMap. Settings that it leaves out are taken from `otherwise`. Problems name the key and the field:
// "data.ingress: ingressDomain: must be a string, not a number".
InferenceServiceConfig ReadInferenceServiceConfig(manifest::Value document, manifest::Problems& problems,
                                                  InferenceServiceConfig otherwise = {});

}  // namespace inferd::model
