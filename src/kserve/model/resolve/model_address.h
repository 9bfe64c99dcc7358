#pragma once

#include <string>
#include <string_view>

#include "kserve/model/api/inference_service.h"

namespace inferd::model {

// Returns the model's name in requests (KServe 0.10): the transformer's argument --model_name=NAME, else the model's
// MLSERVER_MODEL_NAME or --model_name=NAME, else the service's name. Thread-safe.
std::string ModelNameOf(const InferenceService& service);

// Returns the URL for predictions within the cluster (KServe 0.10: status.address.url):
// "http://iris.default.svc.cluster.local/v1/models/iris:predict", or /v2/models/iris/infer. `protocol` is the
// predictor's ("v1", "v2", "grpc-v2"). If empty, its variable PROTOCOL decides, else v1. A transformer always speaks
// v1.
std::string AddressUrl(const InferenceService& service, std::string_view protocol);

}  // namespace inferd::model
