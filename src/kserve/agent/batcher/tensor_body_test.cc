#include "kserve/agent/batcher/tensor_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace inferd::agent {
namespace {

using ::testing::ElementsAre;

std::string Shown(std::string_view json) {
  const auto body = ParseTensorBody(json);
  if (!body.has_value()) return std::string(body.error().message());
  std::string text = body->frame;
  std::ranges::replace(text, kRowCount, 'N');
  std::ranges::replace(text, kRows, '*');
  text = std::to_string(body->count) + " " + text;
  for (const std::string_view list : body->lists) text += " | " + std::string(list);
  return text + (body->own.empty() ? "" : " own " + body->own);
}

TEST(TensorBodyTest, RowsAreInTheFirstDimension) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"inputs":[{"name":"x","shape":[2,3],"datatype":"FP32","data":[1,2,3,4,5,6]}]})",
       R"(2 {"inputs":[{"name":"x","datatype":"FP32","shape":[N,3],"data":[*]}]} | 1,2,3,4,5,6)"},
      {R"({"id":"7","inputs":[{"data":[[1,2]],"name":"x","shape":[1,2],"datatype":"FP32"}],"outputs":[{"name":"y"}]})",
       R"(1 {"inputs":[{"name":"x","datatype":"FP32","shape":[N,2],"data": [*]}],"outputs":[{"name":"y"}]} | [1,2])"
       R"( own "id":"7")"},
      {R"({"inputs":[{"name":"a","shape":[1],"datatype":"BYTES","data":["],["]},)"
       R"({"name":"b","shape":[1,0],"datatype":"FP32","data":[]}]})",
       R"(1 {"inputs":[{"name":"a","datatype":"BYTES","shape":[N],"data":[*]},)"
       R"({"name":"b","datatype":"FP32","shape":[N,0],"data":[*]}]} | "],[" | )"},
  };
  for (const auto& [json, shown] : cases) EXPECT_EQ(Shown(json), shown) << json;
}

TEST(TensorBodyTest, WhatCannotBePutTogetherGoesAlone) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "no JSON of tensors"},
      {"[]", "no JSON of tensors"},
      {R"({"inputs":{}})", "no JSON of tensors"},
      {"{}", "no inputs"},
      {R"({"inputs":[]})", "no inputs"},
      {R"({"inputs":[{"name":"x","shape":[1],"data":[1]}],"parameters":{"sequence_id":1}})", "parameters"},
      {R"({"inputs":[{"name":"x","shape":[1],"data":[1],"parameters":{}}]})", "parameters"},
      {R"({"inputs":[{"name":"x","shape":[1],"data":[1]}],"outputs":[{"name":"y","parameters":{"binary_data":true}}]})",
       "parameters"},
      {R"({"inputs":[{"name":"x","shape":[],"data":[1]}]})", "an input without rows"},
      {R"({"inputs":[{"name":"x","shape":[0,2],"data":[]}]})", "an input without rows"},
      {R"({"inputs":[{"name":"x","shape":[1]}]})", "an input without rows"},
      {R"({"inputs":[{"name":"x","shape":[1],"data":{}}]})", "an input without rows"},
      {R"({"inputs":[{"name":"x","shape":[1],"data":[1]},{"name":"y","shape":[2],"data":[1,2]}]})",
       "inputs of different numbers of rows"},
      {R"({"inputs":[{"name":"x","shape":[2],"data":[1]}]})", "an input whose data are not as its shape says"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"data":[[1,2],[3,4]]}]})",
       "an input whose data are not as its shape says"},
      {R"({"inputs":[{"name":"x","shape":[1,4294967295,4294967295],"data":[1]}]})",
       "an input whose data are not as its shape says"},
  };
  for (const auto& [json, why] : cases) {
    const auto body = ParseTensorBody(json);
    ASSERT_FALSE(body.has_value()) << json;
    EXPECT_EQ(body.error(), base::Unimplemented(std::string(why))) << json;
  }
}

TEST(TensorBodyTest, EachGetsItsRowsAndItsId) {
  const std::vector<BatchedRequest> requests = {{.count = 1, .own = R"("id":"a")"}, {.count = 2, .own = ""}};
  const auto answers = SplitTensorAnswer(
      R"({"model_name":"m","id":"of none","model_version":"1","outputs":[
          {"name":"y","datatype":"FP32","shape":[3,2],"data":[1,2,3,4,5,6]},
          {"name":"z","shape":[3,1],"datatype":"FP32","data":[[7],[8],[9]]}]})",
      requests);
  ASSERT_TRUE(answers.has_value()) << answers.error().message();
  EXPECT_THAT(*answers, ElementsAre(R"({"model_name":"m","model_version":"1","id":"a","outputs":[)"
                                    R"({"name":"y","datatype":"FP32","shape":[1,2],"data":[1,2]},)"
                                    R"({"name":"z","datatype":"FP32","shape":[1,1],"data":[[7]]}]})",
                                    R"({"model_name":"m","model_version":"1","outputs":[)"
                                    R"({"name":"y","datatype":"FP32","shape":[2,2],"data":[3,4,5,6]},)"
                                    R"({"name":"z","datatype":"FP32","shape":[2,1],"data":[[8],[9]]}]})"));
}

TEST(TensorBodyTest, AnAnswerOfOtherRowsIsRefused) {
  const std::vector<BatchedRequest> requests = {{.count = 1, .own = ""}, {.count = 1, .own = ""}};
  for (const char* json :
       {"", "{}", "[]", R"({"outputs":1})", R"({"outputs":[{"name":"y"}]})", R"({"outputs":[{"shape":[],"data":[]}]})",
        R"({"outputs":[{"shape":[1],"data":[1]}]})", R"({"outputs":[{"shape":[2],"data":[1]}]})",
        R"({"outputs":[{"shape":[2],"data":[1,2,3]}]})", R"({"outputs":[{"shape":[2,2],"data":[[1,2]]}]})",
        R"({"outputs":[{"shape":[2],"data":{}}]})", R"({"outputs":[{"shape":[-2],"data":[1,2]}]})"}) {
    const auto answers = SplitTensorAnswer(json, requests);
    ASSERT_FALSE(answers.has_value()) << json;
    EXPECT_EQ(answers.error().code(), base::StatusCode::kInvalidArgument) << json;
  }
}

}  // namespace
}  // namespace inferd::agent
