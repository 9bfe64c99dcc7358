#include "protocols/tfs_grpc/result_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "protocols/tfs_grpc/service_fixture.h"

namespace inferd::tfs_grpc {
namespace {

namespace serving = tensorflow::serving;
using tensor::DataType;

void AddExample(serving::Input& input, float value) {
  auto& example = *input.mutable_example_list()->add_examples();
  (*example.mutable_features()->mutable_feature())["x"].mutable_float_list()->add_value(value);
}

// Models of one float per example: "c" classifies it as (x, -x), "r" echoes it.
class ResultCallTest : public ::testing::Test {
 protected:
  ResultCallTest() {
    auto classifier = std::make_shared<core::FakePinned>();
    classifier->signature_.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 1}}};
    classifier->signature_.outputs = {
        {.name = "s", .datatype = DataType::kFp32, .shape = {-1, 2}, .labels = {"cat", "d\xff"}}};
    auto regressor = std::make_shared<core::FakePinned>();
    regressor->signature_.inputs = classifier->signature_.inputs;
    regressor->signature_.outputs = {{.name = "y", .datatype = DataType::kFp32, .shape = {-1, 1}}};
    service_.dispatcher.models["c"] = classifier;
    service_.dispatcher.models["r"] = regressor;
    service_.dispatcher.infer = [](const core::PinnedModel& pinned, const core::InferRequest& request,
                                   core::Completion done) {
      core::InferResponse response;
      response.model_name = request.model_name;
      response.model_version = pinned.version();
      core::InferTensor output = request.inputs[0];
      output.name = pinned.signature().outputs[0].name;
      if (output.name == "s") {
        const size_t rows = output.data.size() / sizeof(float);
        base::Buffer scores = base::Buffer::Allocate(rows * 2 * sizeof(float));
        for (size_t i = 0; i < rows; ++i) {
          float pair[2];
          std::memcpy(pair, output.data.data() + i * sizeof(float), sizeof(float));
          pair[1] = -pair[0];
          std::memcpy(scores.data() + i * sizeof pair, pair, sizeof pair);
        }
        output.shape[1] = 2;
        output.data = base::BufferSlice(scores);
      }
      response.outputs.push_back(std::move(output));
      done.Send(std::move(response));
    };
  }

  TestService service_;
};

TEST_F(ResultCallTest, Classifies) {
  serving::ClassificationRequest request;
  request.mutable_model_spec()->set_name("c");
  AddExample(*request.mutable_input(), 1);
  AddExample(*request.mutable_input(), 2);
  const auto call = service_.Ask("Classify", request);
  EXPECT_EQ(StatusOf(*call), "0");
  const auto response = ResponseOf<serving::ClassificationResponse>(*call);
  EXPECT_EQ(response.model_spec().version().value(), 1);
  ASSERT_EQ(response.result().classifications_size(), 2);
  const auto& second = response.result().classifications(1);
  EXPECT_EQ(second.classes(0).ShortDebugString(), R"(label: "cat" score: 2)");
  EXPECT_EQ(second.classes(1).label(), "d\xEF\xBF\xBD");
  EXPECT_EQ(second.classes(1).score(), -2);
}

TEST_F(ResultCallTest, Regresses) {
  serving::RegressionRequest request;
  request.mutable_model_spec()->set_name("r");
  AddExample(*request.mutable_input(), 2.5f);
  const auto response = ResponseOf<serving::RegressionResponse>(*service_.Ask("Regress", request));
  ASSERT_EQ(response.result().regressions_size(), 1);
  EXPECT_EQ(response.result().regressions(0).value(), 2.5f);
  EXPECT_EQ(response.model_spec().signature_name(), "serving_default");
}

TEST_F(ResultCallTest, AModelHasAnAnswerForEachExample) {
  auto echo = std::move(service_.dispatcher.infer);
  service_.dispatcher.infer = [&echo](const core::PinnedModel& pinned, const core::InferRequest& request,
                                      core::Completion done) {
    core::InferRequest first = request;
    first.inputs[0].shape[0] = 1;
    first.inputs[0].data = request.inputs[0].data.Sub(0, sizeof(float));
    echo(pinned, first, std::move(done));
  };
  serving::RegressionRequest request;
  request.mutable_model_spec()->set_name("r");
  AddExample(*request.mutable_input(), 1);
  AddExample(*request.mutable_input(), 2);
  EXPECT_EQ(StatusOf(*service_.Ask("Regress", request)),
            "3: Input batch size did not match output batch size: 2 vs. 1");
  request.mutable_model_spec()->set_name("c");
  EXPECT_EQ(StatusOf(*service_.Ask("Classify", request)), "3: Expected scores output batch size of 2. Got: 1");
}

TEST_F(ResultCallTest, AModelIsWhatItsOutputsSay) {
  serving::RegressionRequest request;
  request.mutable_model_spec()->set_name("c");
  AddExample(*request.mutable_input(), 1);
  EXPECT_EQ(service_.Ask("Regress", request)->status(), "3");
  request.mutable_model_spec()->set_name("r");
  request.mutable_model_spec()->set_signature_name("other");
  EXPECT_EQ(StatusOf(*service_.Ask("Regress", request)), "3: No signature was found with the name: other");
  request.mutable_model_spec()->clear_signature_name();
  request.clear_input();
  EXPECT_EQ(StatusOf(*service_.Ask("Regress", request)), "3: Input is empty.");
}

TEST_F(ResultCallTest, SignaturesThatTensorflowServingRefusesAreRefusedInItsWords) {
  core::ModelSignature& signature =
      std::static_pointer_cast<core::FakePinned>(service_.dispatcher.models["r"])->signature_;
  serving::RegressionRequest request;
  request.mutable_model_spec()->set_name("r");
  AddExample(*request.mutable_input(), 1);
  signature.inputs.push_back({.name = "more", .datatype = DataType::kFp32, .shape = {-1, 1}});
  EXPECT_EQ(StatusOf(*service_.Ask("Regress", request)),
            "3: Feature: more (data type: float) is required but could not be found.");
  service_.options.exact = true;
  EXPECT_EQ(StatusOf(*service_.Ask("Regress", request)), "3: Expected one input Tensor.");
  EXPECT_EQ(StatusOf(*service_.Ask("Classify", request)), "3: Expected one input Tensor.");
  signature.inputs.pop_back();
  signature.outputs.insert(signature.outputs.end(), 2, {.name = "b", .datatype = DataType::kInt32, .shape = {-1}});
  signature.outputs[0].datatype = DataType::kInt32;
  EXPECT_EQ(StatusOf(*service_.Ask("Regress", request)), "3: Expected one output Tensor.");
  EXPECT_EQ(StatusOf(*service_.Ask("Classify", request)), "3: Expected one or two output Tensors, found 3");
}

// The regressor's signatures: "twice" is another one, and "classes" a classifier. "apart" takes another tensor of the
// graph, "renamed" one with another client-side name.
TEST_F(ResultCallTest, TasksOfSeveralSignatures) {
  auto& model = *service_.dispatcher.models["r"];
  core::ModelSignature signature = model.signature_;
  signature.name = "twice";
  model.AddSignature(signature);
  signature.name = "classes";
  signature.outputs = {{.name = "y", .datatype = DataType::kFp32, .shape = {-1, 2}}};
  model.AddSignature(signature);
  signature.name = "apart";
  signature.inputs[0].graph_name = "another:0";
  model.AddSignature(signature);
  signature.name = "renamed";
  const std::string known = std::exchange(signature.inputs[0].name, "other");
  model.AddSignature(signature);
  std::vector<std::pair<uint32_t, core::Completion>> asked;
  std::vector<std::string> inputs;
  service_.dispatcher.infer = [&](const core::PinnedModel&, const core::InferRequest& request, core::Completion done) {
    asked.emplace_back(request.signature, std::move(done));
    inputs.push_back(request.inputs.at(0).name);
  };
  const auto answer = [&](size_t i, std::vector<float> values, base::Status status = {}) {
    core::InferResponse response;
    response.status = std::move(status);
    response.model_name = "r";
    response.model_version = "1";
    core::InferTensor output;
    output.name = "y";
    output.datatype = DataType::kFp32;
    output.shape = values.size() == 2 ? tensor::Shape{1, 2} : tensor::Shape{1};
    const auto bytes = std::as_bytes(std::span(values));
    base::Buffer data = base::Buffer::Allocate(bytes.size());
    std::ranges::copy(bytes, data.data());
    output.data = base::BufferSlice(data);
    response.outputs.push_back(std::move(output));
    asked[i].second.Send(std::move(response));
  };

  serving::MultiInferenceRequest request;
  AddExample(*request.mutable_input(), 3);
  for (const char* name : {"", "classes", "twice"}) {
    auto& task = *request.add_tasks();
    task.mutable_model_spec()->set_name("r");
    task.mutable_model_spec()->set_signature_name(name);
    task.set_method_name(std::string("tensorflow/serving/") + (*name == 'c' ? "classify" : "regress"));
  }
  const auto call = service_.Ask("MultiInference", request);
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[1].first, 2u);
  answer(2, {6});
  answer(0, {3});
  answer(1, {0.25, 0.75});
  service_.Settle();
  const auto response = ResponseOf<serving::MultiInferenceResponse>(*call);
  ASSERT_EQ(response.results_size(), 3);
  EXPECT_EQ(response.results(0).regression_result().regressions(0).value(), 3);
  EXPECT_EQ(response.results(0).model_spec().signature_name(), "serving_default");
  EXPECT_EQ(response.results(1).classification_result().classifications(0).classes(1).score(), 0.75f);
  EXPECT_EQ(response.results(1).model_spec().signature_name(), "classes");
  EXPECT_EQ(response.results(2).regression_result().regressions(0).value(), 6);

  asked.clear();
  const auto failed = service_.Ask("MultiInference", request);
  answer(0, {3});
  answer(1, {}, base::Unavailable("busy"));
  answer(2, {6});
  service_.Settle();
  EXPECT_EQ(StatusOf(*failed), "14: busy");

  asked.clear();
  inputs.clear();
  request.mutable_tasks(1)->mutable_model_spec()->set_signature_name("apart");
  request.mutable_tasks(2)->mutable_model_spec()->set_signature_name("renamed");
  request.mutable_tasks(2)->set_method_name("tensorflow/serving/classify");
  for (auto& example : *request.mutable_input()->mutable_example_list()->mutable_examples()) {
    auto& features = *example.mutable_features()->mutable_feature();
    features["other"] = features[known];
  }
  const auto fed = service_.Ask("MultiInference", request);
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(inputs, (std::vector<std::string>{known, known, "other"}));
  answer(0, {3});
  answer(1, {0.25, 0.75});
  answer(2, {0.5, 0.5});
  service_.Settle();
  EXPECT_EQ(StatusOf(*fed), "0");
}

TEST_F(ResultCallTest, MethodsCountWhereTheyAreChecked) {
  auto& signature = service_.dispatcher.models["c"]->signature_;
  signature.name = "serving_default";
  signature.method_name = "tensorflow/serving/predict";
  serving::ClassificationRequest request;
  request.mutable_model_spec()->set_name("c");
  AddExample(*request.mutable_input(), 1);
  serving::MultiInferenceRequest tasks;
  *tasks.mutable_input() = request.input();
  tasks.add_tasks()->mutable_model_spec()->set_name("c");
  tasks.mutable_tasks(0)->set_method_name("tensorflow/serving/classify");
  const std::string no =
      "3: Expected classification signature method_name to be tensorflow/serving/classify. Was: "
      "tensorflow/serving/predict";
  EXPECT_EQ(StatusOf(*service_.Ask("Classify", request)), "0");
  service_.options.check_methods = true;
  EXPECT_EQ(StatusOf(*service_.Ask("Classify", request)), no);
  EXPECT_EQ(StatusOf(*service_.Ask("MultiInference", tasks)), no);
  EXPECT_EQ(StatusOf(*service_.Ask("Regress", request)),
            "3: Expected regression signature method_name to be tensorflow/serving/regress. Was: "
            "tensorflow/serving/predict");
  signature.method_name = "tensorflow/serving/classify";
  EXPECT_EQ(StatusOf(*service_.Ask("Classify", request)), "0");
  EXPECT_EQ(StatusOf(*service_.Ask("MultiInference", tasks)), "0");
}

TEST_F(ResultCallTest, OneTaskOfSeveralThatThereMightBe) {
  serving::MultiInferenceRequest request;
  const auto ask = [&] { return StatusOf(*service_.Ask("MultiInference", request)); };
  AddExample(*request.mutable_input(), 3);
  EXPECT_EQ(ask(), "3: Found ModelSpec with an empty model name.");
  auto& task = *request.add_tasks();
  task.mutable_model_spec()->set_name("r");
  EXPECT_EQ(ask(), "12: Unsupported signature method_name: ");
  task.set_method_name("tensorflow/serving/regress");
  const auto response = ResponseOf<serving::MultiInferenceResponse>(*service_.Ask("MultiInference", request));
  ASSERT_EQ(response.results_size(), 1);
  EXPECT_EQ(response.results(0).regression_result().regressions(0).value(), 3);
  EXPECT_EQ(response.results(0).model_spec().name(), "r");
  auto& second = *request.add_tasks();
  second = task;
  EXPECT_EQ(ask(), "3: Duplicate evaluation of signature: serving_default");
  second.mutable_model_spec()->set_signature_name("other");
  EXPECT_EQ(ask(), "3: Requested signature not found in model graph: other");
  second.mutable_model_spec()->set_name("c");
  EXPECT_EQ(ask(), "3: All ModelSpecs in a MultiInferenceRequest must access the same model name.");
}

}  // namespace
}  // namespace inferd::tfs_grpc
