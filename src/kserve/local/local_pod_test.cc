#include "kserve/local/local_pod.h"

#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "kserve/model/objects_fixture.h"

namespace inferd::local {
namespace {

using model::ComponentKind;
using model::InferenceService;

constexpr std::string_view kPlace = "127.0.0.1:8080/components/models/digits-predictor-default";

std::string LocalTransformer(std::string_view container) {
  const auto service = model::ParseAs<InferenceService>(model::ServiceYaml(
      "  predictor:\n    model: {modelFormat: {name: onnx}, storageUri: m}\n  transformer:\n    containers:\n    - " +
      std::string(container) + "\n"));
  const auto pod = MakeLocal(ResolveTransformer(service, *service.transformer), service, std::string(kPlace));
  const manifest::Value& local = pod.pod_spec.Find("containers")->items().front();
  std::string text;
  for (const char* key : {"command", "args", "env"}) {
    if (const auto* value = local.Find(key)) text += std::string(key) + manifest::ToJson(*value);
  }
  return text;
}

TEST(LocalPodTest, ThePathOfAComponent) {
  const auto service = model::ParseAs<InferenceService>(
      model::ServiceYaml("  predictor:\n    model: {modelFormat: {name: onnx}, storageUri: m}\n"));
  EXPECT_EQ(LocalPath(service, ComponentKind::kPredictor), "/components/models/digits-predictor-default");
  EXPECT_EQ(LocalPath(service, ComponentKind::kExplainer), "/components/models/digits-explainer-default");
}

TEST(LocalPodTest, WhatAsksOverGrpc) {
  const auto asks = [](const std::string& container) {
    model::ResolvedPod pod;
    pod.pod_spec = manifest::ReadYaml("containers: [" + container + "]", "pod").value().front();
    return AsksOverGrpc(pod);
  };
  EXPECT_TRUE(asks("{args: [--predictor_protocol, grpc-v2]}"));
  EXPECT_TRUE(asks("{command: [t, --predictor_protocol=grpc-v2]}"));
  EXPECT_FALSE(asks("{args: [--predictor_protocol, v2, grpc-v2]}"));
  EXPECT_FALSE(asks("{args: [--predictor_protocol=v2]}"));
  EXPECT_FALSE(asks("{image: x}"));
  EXPECT_FALSE(AsksOverGrpc({}));
}

TEST(LocalPodTest, ThePredictorIsAtTheGateway) {
  const std::string there(kPlace);
  struct Case {
    const char* given;
    std::string becomes;
  };
  const Case cases[] = {
      {"digits-predictor-default.models", there},
      {"digits-predictor-default.models.svc", there},
      {"digits-predictor-default.models.svc.cluster.local", there},
      {"digits-predictor-default.models:80", there},
      {"--predictor_host=digits-predictor-default.models", "--predictor_host=" + there},
      {"http://digits-predictor-default.models.svc.cluster.local:8080/v2", "http://" + there + "/v2"},
      {"digits-predictor-default.modelsX", "digits-predictor-default.modelsX"},
      {"my-digits-predictor-default.models", "my-digits-predictor-default.models"},
      {"digits-predictor-default", "digits-predictor-default"},
      {"other-predictor-default.models", "other-predictor-default.models"},
  };
  for (const Case& each : cases) {
    const std::string given = "\"" + std::string(each.given) + "\"";
    EXPECT_EQ(LocalTransformer("{command: [t], args: [" + given +
                               ", --model_name=m, --http_port=1, --predictor_host=x], env: [{name: A, value: " + given +
                               "}]}"),
              "command[\"t\"]args[\"" + each.becomes +
                  "\",\"--model_name=m\",\"--http_port=1\",\"--predictor_host=x\"]env[{\"name\":\"A\",\"value\":\"" +
                  each.becomes + "\"}]");
  }
}

TEST(LocalPodTest, WhatHasAModelAndNoCommandIsRunByInferd) {
  EXPECT_EQ(LocalTransformer("{image: x, args: [--model_name=m], env: [{name: STORAGE_URI, value: s3://a/b}]}"),
            R"(command["inferd"]args["--as=kserve","--model_dir=/mnt/models","--grpc_port=8081","--model_name=m",)"
            R"("--predictor_host","127.0.0.1:8080/components/models/digits-predictor-default","--http_port","8080"])"
            R"(env[{"name":"STORAGE_URI","value":"/mnt/models"}])");
  EXPECT_EQ(LocalTransformer("{image: x, command: [own], args: [--model_name, m, --http_port=1, --predictor_host=p], "
                             "env: [{name: STORAGE_URI, value: s3://a/b}]}"),
            R"(command["own"]args["--model_name","m","--http_port=1","--predictor_host=p"])"
            R"(env[{"name":"STORAGE_URI","value":"/mnt/models"}])");
  EXPECT_EQ(LocalTransformer("{image: x, args: [--model_name, m, --http_port=1, --predictor_host=p]}"),
            R"(args["--model_name","m","--http_port=1","--predictor_host=p"])");
}

}  // namespace
}  // namespace inferd::local
