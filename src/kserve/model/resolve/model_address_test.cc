#include "kserve/model/resolve/model_address.h"

#include <gtest/gtest.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

constexpr std::string_view kHost = "http://digits.models.svc.cluster.local";

TEST(ModelAddressTest, WherePredictionsAreAskedFor) {
  const std::string model = "    model: {modelFormat: {name: onnx}, storageUri: m";
  struct Case {
    std::string spec;
    std::string_view protocol;
    std::string_view path;
  };
  const Case cases[] = {
      {"  predictor:\n" + model + "}\n", "v1", "/v1/models/digits:predict"},
      {"  predictor:\n" + model + "}\n", "", "/v1/models/digits:predict"},
      {"  predictor:\n" + model + "}\n", "v2", "/v2/models/digits/infer"},
      {"  predictor:\n" + model + "}\n", "grpc-v2", "/v2/models/digits/infer"},
      {"  predictor:\n" + model + ", args: [--model_name=own]}\n", "v2", "/v2/models/own/infer"},
      {"  predictor:\n" + model + ", args: [--model_name, own]}\n", "v2", "/v2/models/digits/infer"},
      {"  predictor:\n" + model + ", env: [{name: MLSERVER_MODEL_NAME, value: ml}]}\n", "v2", "/v2/models/ml/infer"},
      {"  predictor:\n" + model + "}\n  transformer:\n    containers: [{args: [--model_name=t]}]\n", "v2",
       "/v1/models/t:predict"},
      {"  predictor:\n    containers: [{args: [--model_name=c], env: [{name: PROTOCOL, value: v2}]}]\n", "",
       "/v2/models/c/infer"},
  };
  for (const Case& each : cases) {
    const auto service = ParseAs<InferenceService>(ServiceYaml(each.spec));
    EXPECT_EQ(AddressUrl(service, each.protocol), std::string(kHost) + std::string(each.path)) << each.spec;
  }
}

}  // namespace
}  // namespace inferd::model
