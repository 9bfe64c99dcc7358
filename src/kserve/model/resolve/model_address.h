#pragma once

#include <string>
#include <string_view>

#include "kserve/model/api/inference_service.h"

namespace inferd::model {

// What the service's model is called in requests (KServe 0.10): what the transformer is told by --model_name=NAME, else
// what the model is told by MLSERVER_MODEL_NAME or --model_name=NAME, else the service's name. Thread-safe.
std::string ModelNameOf(const InferenceService& service);

// Where predictions are asked for within the cluster (KServe 0.10: status.address.url):
// "http://iris.default.svc.cluster.local/v1/models/iris:predict", or /v2/models/iris/infer. `protocol` is the
// predictor's ("v1", "v2", "grpc-v2"; empty: its variable PROTOCOL, else v1); a transformer's is always v1.
std::string AddressUrl(const InferenceService& service, std::string_view protocol);

}  // namespace inferd::model
