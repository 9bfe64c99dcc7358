#include "protocols/tfs_grpc/predict_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/tfs_grpc/service_fixture.h"

namespace inferd::tfs_grpc {
namespace {

using tensorflow::serving::PredictResponse;
using ::testing::HasSubstr;

class PredictCallTest : public ::testing::Test {
 protected:
  std::string Ask(const tensorflow::serving::PredictRequest& request) {
    return StatusOf(*service_.Ask("Predict", request));
  }

  TestService service_;
};

TEST_F(PredictCallTest, AnswersWithTheModelThatAnswered) {
  tensorflow::serving::PredictRequest request = PredictRequest();
  request.add_output_filter("x");
  const auto call = service_.Ask("Predict", request);
  EXPECT_EQ(StatusOf(*call), "0");
  const auto response = ResponseOf<PredictResponse>(*call);
  EXPECT_EQ(response.model_spec().ShortDebugString(),
            R"(name: "m" version { value: 1 } signature_name: "serving_default")");
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_EQ(response.outputs().at("x").ShortDebugString(),
            "dtype: DT_INT32 tensor_shape { dim { size: 1 } dim { size: 2 } } int_val: 1 int_val: -2");
  ASSERT_EQ(service_.dispatcher.last->outputs.size(), 1u);
  service_.options.tensor_content = true;
  const auto content = ResponseOf<PredictResponse>(*service_.Ask("Predict", request));
  EXPECT_EQ(content.outputs().at("x").tensor_content().size(), 8u);
}

TEST_F(PredictCallTest, TheModelIsSaidByNameVersionLabelAndSignature) {
  tensorflow::serving::PredictRequest request = PredictRequest();
  auto& spec = *request.mutable_model_spec();
  spec.mutable_version()->set_value(1);
  spec.set_signature_name("serving_default");
  EXPECT_EQ(Ask(request), "0");
  spec.mutable_version()->set_value(99);
  EXPECT_EQ(Ask(request), "5: Servable not found for request: Specific(m, 99)");
  spec.set_version_label("stable");
  EXPECT_EQ(Ask(request), "3: Unrecognized servable version label: stable");
  service_.dispatcher.labels = {{"stable", "1"}};
  EXPECT_EQ(Ask(request), "0");
  spec.set_signature_name("other");
  EXPECT_EQ(Ask(request), "9: Serving signature key \"other\" not found.");
  spec.clear_version_choice();
  spec.set_name("n");
  EXPECT_EQ(Ask(request), "5: Servable not found for request: Latest(n)");
  spec.clear_name();
  EXPECT_EQ(Ask(request), "3: ModelSpec has no name specified.");
  request.clear_model_spec();
  EXPECT_EQ(Ask(request), "3: Missing ModelSpec");
}

TEST_F(PredictCallTest, ASignatureIsChosenByItsName) {
  core::ModelSignature other = service_.dispatcher.models["m"]->signature_;
  other.name = "other";
  other.inputs[0].name = "y";
  service_.dispatcher.models["m"]->AddSignature(other);
  tensorflow::serving::PredictRequest request = PredictRequest();
  EXPECT_EQ(Ask(request), "0");
  EXPECT_EQ(service_.dispatcher.last->signature, 0u);
  request.mutable_model_spec()->set_signature_name("other");
  EXPECT_EQ(Ask(request), "3: input tensor alias not found in signature: x. Inputs expected to be in the set {y}.");
  (*request.mutable_inputs())["y"] = request.inputs().at("x");
  request.mutable_inputs()->erase("x");
  const auto response = ResponseOf<PredictResponse>(*service_.Ask("Predict", request));
  EXPECT_EQ(response.model_spec().signature_name(), "other");
  EXPECT_EQ(service_.dispatcher.last->signature, 1u);
}

TEST_F(PredictCallTest, MethodsCountWhereTheyAreChecked) {
  service_.dispatcher.models["m"]->signature_.name = "serving_default";
  service_.dispatcher.models["m"]->signature_.method_name = "other";
  EXPECT_EQ(Ask(PredictRequest()), "0");
  service_.options.check_methods = true;
  EXPECT_EQ(Ask(PredictRequest()),
            "13: Expected prediction signature method_name to be one of {tensorflow/serving/predict, "
            "tensorflow/serving/classify, tensorflow/serving/regress}. Was: other");
  service_.dispatcher.models["m"]->signature_.method_name = "tensorflow/serving/regress";
  EXPECT_EQ(Ask(PredictRequest()), "0");
}

TEST_F(PredictCallTest, WhatIsWrongWithTheTensorsIsSaid) {
  tensorflow::serving::PredictRequest request = PredictRequest();
  request.mutable_inputs()->at("x").add_int_val(3);
  EXPECT_EQ(Ask(request), "3: tensor parsing error: x: int_val: expected at most 2 elements for shape [1,2], got 3");
  auto call = service_.Open("Predict");
  call->Unary("\x0a");
  service_.Settle();
  EXPECT_EQ(call->status(), "3");
  service_.dispatcher.infer = [](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    done.Fail(base::Unavailable("the model is busy"));
  };
  EXPECT_EQ(Ask(PredictRequest()), "14: the model is busy");
}

TEST_F(PredictCallTest, AnotherDatatypeIsRefusedInTensorflowServingsWords) {
  tensorflow::serving::PredictRequest request = PredictRequest();
  tensorflow::TensorProto& tensor = request.mutable_inputs()->at("x");
  tensor.set_dtype(tensorflow::DT_FLOAT);
  tensor.clear_int_val();
  tensor.add_float_val(1);
  EXPECT_EQ(Ask(request), "3: Expects arg[0] to be int32 but float is provided");
  request.add_output_filter("z");
  EXPECT_EQ(Ask(request), "3: output tensor alias not found in signature: z Outputs expected to be in the set {x}.");
  request.clear_output_filter();
  core::ModelSignature& signature = service_.dispatcher.models["m"]->signature_;
  signature.inputs.push_back({.name = "a", .datatype = tensor::DataType::kBytes, .shape = {-1}, .optional = true});
  EXPECT_EQ(Ask(request), "3: Expects arg[1] to be int32 but float is provided") << "by their names";
}

TEST_F(PredictCallTest, BigTypedTensorsGoByWayOfThePool) {
  service_.options.offload_bytes = 8;
  auto call = service_.Open("Predict");
  call->Unary(PredictRequest().SerializeAsString());
  EXPECT_EQ(service_.dispatcher.last, nullptr);
  EXPECT_EQ(service_.server.pool.waiting(), 1u);
  service_.Settle();
  EXPECT_EQ(StatusOf(*call), "0");
}

TEST_F(PredictCallTest, BigContentStaysOnTheLoop) {
  service_.options.offload_bytes = 64;
  service_.options.tensor_content = true;
  tensorflow::serving::PredictRequest request = PredictRequest();
  auto& tensor = request.mutable_inputs()->at("x");
  tensor.clear_int_val();
  tensor.mutable_tensor_shape()->mutable_dim(0)->set_size(100);
  tensor.set_tensor_content(std::string(800, '\1'));
  auto call = service_.Open("Predict");
  call->Unary(request.SerializeAsString());
  EXPECT_EQ(StatusOf(*call), "0");
  EXPECT_EQ(service_.server.pool.waiting(), 0u);
}

TEST_F(PredictCallTest, DeadlinesAndCancelsReachTheModel) {
  core::Completion held;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest&, core::Completion done) {
    held = std::move(done);
  };
  auto call = service_.Open("Predict", {{"grpc-timeout", "20m"}});
  call->Unary(PredictRequest().SerializeAsString());
  ASSERT_NE(service_.dispatcher.last, nullptr);
  EXPECT_NE(service_.dispatcher.last->deadline_ns, 0);
  EXPECT_FALSE(service_.dispatcher.last->cancel->cancelled());
  call->Vanish();
  service_.server.loop.RunPosted();
  EXPECT_TRUE(service_.dispatcher.last->cancel->cancelled());
  held.Send({});
}

TEST_F(PredictCallTest, IsCountedUnderTensorflowServingsNames) {
  Ask(PredictRequest());
  tensorflow::serving::PredictRequest unknown = PredictRequest();
  unknown.mutable_model_spec()->set_name("made up");
  Ask(unknown);
  const std::string page = service_.registry.PrometheusText();
  EXPECT_THAT(page, HasSubstr(R"(:tensorflow:serving:request_count{model_name="m",status="OK"} 1)"));
  EXPECT_THAT(page, HasSubstr(R"(request_latency_count{model_name="m",API="Predict",entrypoint="GRPC"} 1)"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("made up")));
}

TEST_F(PredictCallTest, ManyResponsesDoNotFitIntoOne) {
  service_.dispatcher.infer = [](const core::PinnedModel& pinned, const core::InferRequest& request,
                                 core::Completion done) {
    core::InferResponse first;
    first.final = false;
    first.outputs.push_back(request.inputs[0]);
    done.Send(std::move(first));
    core::FakeDispatcher::Echo(pinned, request, std::move(done));
  };
  EXPECT_EQ(Ask(PredictRequest()), "12: the model gave more than one response, which Predict cannot carry");
}

}  // namespace
}  // namespace inferd::tfs_grpc
