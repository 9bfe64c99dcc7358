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
// Also the names of KServe 0.16: Standard is RawDeployment, Knative is Serverless. nullopt: it is none of them.
std::optional<DeploymentMode> ParseDeploymentMode(std::string_view name);

// KServe 0.10: the ConfigMap inferenceservice-config, each of whose values is a JSON text, beside the document. A value
// that is left out leaves what stands here. Values that nothing here decides by are kept in the document.
struct InferenceServiceConfig {
  struct ExplainerImage {
    std::string image;
    std::string default_version;
  };
  // An image that runs beside a model, and what it may use; empty: nothing is said of that.
  struct Sidecar {
    std::string image;
    std::string memory_request, memory_limit, cpu_request, cpu_limit;
  };
  // inferd's own image, with what KServe's configuration gives to its own.
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
    // Of newer versions of KServe: nothing leads to services from outside; HTTPRoutes do, in place of Ingresses, by the
    // gateway "namespace/name".
    bool disable_creation = false;
    bool enable_gateway_api = false;
    std::string api_gateway = "kserve/kserve-ingress-gateway";
  };
  // What pods say of their metrics unless the service does: "true", "false"; empty: nothing.
  struct Metrics {
    std::string aggregation, scraping;
  };

  // Of the storage initializer: names of keys in secrets, and of S3 what secrets do not say by annotations.
  struct Credentials {
    struct S3 {
      std::string access_key_id_name = "awsAccessKeyID";
      std::string secret_access_key_name = "awsSecretAccessKey";
      std::string endpoint, use_https, region, verify_ssl, use_virtual_bucket, use_anonymous_credential, ca_bundle;
    };
    S3 s3 = {};
    std::string gcs_file_name = "gcloud-application-credentials.json";
    std::string storage_secret = "storage-config";  // of storage specifications
  };

  manifest::Value document;
  ObjectMeta metadata;
  DeploymentMode default_mode = DeploymentMode::kServerless;
  Ingress ingress;
  std::map<std::string, ExplainerImage> explainers;
  Sidecar storage_initializer = OwnSidecar();
  Credentials credentials;
  Sidecar logger;
  std::string logger_url;  // of loggers that name none
  Sidecar batcher;
  Sidecar agent = OwnSidecar();
  Sidecar router = OwnSidecar();  // of graphs
  Metrics metrics;
  std::vector<std::string> propagated_headers;  // by the router of graphs
};

// Returns `otherwise` with the values that the ConfigMap gives. Problems name the key and the field: "data.ingress:
// ingressDomain: must be a string, not a number".
InferenceServiceConfig ReadInferenceServiceConfig(manifest::Value document, manifest::Problems& problems,
                                                  InferenceServiceConfig otherwise = {});

}  // namespace inferd::model
