#include "server/recorded_warmups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/records/record_file.h"
#include "serving/core/fake_dispatcher.h"
#include "tests/support/temp_dir.h"
#include "tfs/prediction_service.pb.h"

namespace inferd::server {
namespace {

using ::testing::HasSubstr;

namespace serving = tensorflow::serving;

// Returns a PredictionLog with a request in the field of that number.
std::string Log(int field, const google::protobuf::Message& request) {
  const auto nested = [](int number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  return nested(field, nested(1, request.SerializeAsString()));
}

class RecordedWarmupsTest : public ::testing::Test {
 protected:
  RecordedWarmupsTest() {
    model_.signature_.inputs = {{.name = "x", .datatype = tensor::DataType::kInt64, .shape = {-1}}};
    auto& tensor = (*predict_.mutable_inputs())["x"];
    tensor.set_dtype(tensorflow::DT_INT64);
    tensor.mutable_tensor_shape()->add_dim()->set_size(1);
    tensor.add_int64_val(7);
    auto& features = *classify_.mutable_input()->mutable_example_list()->add_examples()->mutable_features();
    (*features.mutable_feature())["x"].mutable_int64_list()->add_value(8);
  }
  base::Result<std::vector<std::unique_ptr<core::InferRequest>>> Read(const std::string& file,
                                                                      RecordedWarmupOptions options = {}) {
    dir_.Write("assets.extra/tf_serving_warmup_requests", file);
    INFERD_ASSIGN_OR_RETURN(auto recorded, ReadRecordedWarmups(dir_.path(), model_, options));
    records_ = recorded.records;
    return std::move(recorded.requests);
  }

  const inferd::support::TempDir dir_;
  core::FakePinned model_;
  size_t records_ = 0;  // number of records of the last read
  serving::PredictRequest predict_;
  serving::ClassificationRequest classify_;
};

TEST_F(RecordedWarmupsTest, RequestsOfEveryKind) {
  const std::string file = RecordOf(Log(6, predict_)) + RecordOf(Log(2, classify_)) + RecordOf(Log(5, predict_));
  const auto requests = Read(file);
  ASSERT_TRUE(requests.has_value()) << requests.error().ToString();
  ASSERT_EQ(requests->size(), 2u) << "a session's log is passed over";
  int64_t value = 0;
  for (const int64_t expected : {7, 8}) {
    const auto& input = (*requests)[static_cast<size_t>(expected - 7)]->inputs.at(0);
    ASSERT_EQ(input.data.size(), sizeof(value));
    std::memcpy(&value, input.data.data(), sizeof(value));
    EXPECT_EQ(value, expected);
  }
  EXPECT_EQ(Read(file, {.times = 3})->size(), 6u);
  EXPECT_EQ(records_, 3u);
}

TEST_F(RecordedWarmupsTest, RequestsNameASignature) {
  core::ModelSignature other = model_.signature_;
  other.name = "other";
  model_.AddSignature(other);
  predict_.mutable_model_spec()->set_signature_name("other");
  serving::MultiInferenceRequest both;
  *both.mutable_input() = classify_.input();
  for (const char* name : {"", "other"}) {
    auto& task = *both.add_tasks();
    task.mutable_model_spec()->set_name("m");
    task.mutable_model_spec()->set_signature_name(name);
    task.set_method_name("tensorflow/serving/regress");
  }
  const auto requests = Read(RecordOf(Log(6, predict_)) + RecordOf(Log(2, classify_)) + RecordOf(Log(4, both)));
  ASSERT_TRUE(requests.has_value()) << requests.error().ToString();
  ASSERT_EQ(requests->size(), 4u);
  for (const size_t i : {0, 1, 2, 3}) EXPECT_EQ((*requests)[i]->signature, i == 0 || i == 3 ? 1u : 0u) << i;
  predict_.mutable_model_spec()->set_signature_name("no");
  EXPECT_THAT(Read(RecordOf(Log(6, predict_))).error().message(), HasSubstr("Serving signature key \"no\" not found."));
}

TEST_F(RecordedWarmupsTest, MethodsAreCheckedWhereRequestsAre) {
  EXPECT_EQ(Read(RecordOf(Log(2, classify_)))->size(), 1u);
  EXPECT_THAT(Read(RecordOf(Log(2, classify_)), {.check_methods = true}).error().message(),
              HasSubstr("Expected classification signature method_name to be"));
  EXPECT_EQ(Read(RecordOf(Log(6, predict_)), {.check_methods = true})->size(), 1u);
  model_.signature_.name = "s";
  predict_.mutable_model_spec()->set_signature_name("s");
  EXPECT_THAT(Read(RecordOf(Log(6, predict_)), {.check_methods = true}).error().message(),
              HasSubstr("Expected prediction signature method_name to be one of"));
}

TEST_F(RecordedWarmupsTest, ThereMayBeNone) {
  EXPECT_TRUE(ReadRecordedWarmups(dir_.path(), model_, {})->requests.empty());
  EXPECT_TRUE(Read("")->empty());
}

TEST_F(RecordedWarmupsTest, WhatIsBrokenIsSaid) {
  EXPECT_THAT(Read("x").error().message(), HasSubstr("assets.extra/tf_serving_warmup_requests: record 0 at byte 0"));
  EXPECT_FALSE(Read(RecordOf("\xff")).has_value());
  predict_.clear_inputs();
  EXPECT_EQ(Read(RecordOf(Log(6, predict_))).error().code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::server
