#include "serving/enginehost/batch/batch_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "serving/core/request/response_parameters.h"
#include "serving/enginehost/plugin_model.h"
#include "tests/support/recording_execution.h"
#include "tests/support/stub_engine.h"

namespace inferd::enginehost {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::StubEngine;
using ::testing::HasSubstr;

inferd_parameter Of(int32_t kind) {
  inferd_parameter parameter = {};
  parameter.struct_size = sizeof(parameter);
  parameter.kind = kind;
  return parameter;
}

inferd_parameter Text(std::string_view text) {
  inferd_parameter parameter = Of(INFERD_PARAMETER_TEXT);
  parameter.text_value = {text.data(), text.size()};
  return parameter;
}

// A model without inputs and outputs, whose responses have parameters.
class BatchParametersTest : public ::testing::Test {
 protected:
  struct Named {
    std::string name;
    inferd_parameter value;
  };

  // Responds with `given`, after `change` has modified the response.
  void Respond(const inferd_batch& batch, size_t request, const std::vector<Named>& given,
               const std::function<void(inferd_response*)>& change = {}) {
    std::vector<inferd_text> names;
    std::vector<const inferd_parameter*> values;
    for (const Named& parameter : given) {
      names.push_back({parameter.name.data(), parameter.name.size()});
      values.push_back(&parameter.value);
    }
    inferd_response response = {};
    response.struct_size = sizeof(response);
    response.final = 1;
    response.parameter_names = names.data();
    response.parameters = values.data();
    response.parameter_count = values.size();
    if (change) change(&response);
    engine_.host.respond(&batch, request, &response);
  }

  void Execute(RecordingExecution& execution) {
    auto model = engine_.Take();
    ASSERT_TRUE(model);
    PluginInstance instance(*model, InstanceSeat());
    instance.Execute(execution);
  }

  // Returns the response to the only request, for the parameters `given`.
  RecordingExecution::Response AnswerOf(const std::vector<Named>& given,
                                        const std::function<void(inferd_response*)>& change = {}) {
    engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
      Respond(batch, 0, given, change);
      return INFERD_FINISHED;
    };
    RecordingExecution execution;
    Execute(execution);
    return execution.responses().at(0);
  }

  StubEngine engine_;
};

TEST_F(BatchParametersTest, EveryKindArrives) {
  inferd_parameter flag = Of(INFERD_PARAMETER_BOOL);
  flag.bool_value = 1;
  inferd_parameter integer = Of(INFERD_PARAMETER_INT64);
  integer.int64_value = std::numeric_limits<int64_t>::min();
  inferd_parameter natural = Of(INFERD_PARAMETER_UINT64);
  natural.uint64_value = std::numeric_limits<uint64_t>::max();
  inferd_parameter real = Of(INFERD_PARAMETER_DOUBLE);
  real.double_value = 0.25;
  const auto answer = AnswerOf({{"flag", flag},
                                {"integer", integer},
                                {"natural", natural},
                                {"real", real},
                                {"text", Text(std::string_view("x\0y", 3))},
                                {"empty", Text({})}});
  EXPECT_TRUE(answer.status.ok()) << answer.status.ToString();
  EXPECT_EQ(answer.parameters, (core::Parameters{{"flag", true},
                                                 {"integer", std::numeric_limits<int64_t>::min()},
                                                 {"natural", std::numeric_limits<uint64_t>::max()},
                                                 {"real", 0.25},
                                                 {"text", std::string("x\0y", 3)},
                                                 {"empty", std::string()}}));
}

TEST_F(BatchParametersTest, OfAWholeBatchAllRequestsGetThem) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, INFERD_ALL_REQUESTS, {{"stop", Text("length")}});
    return INFERD_FINISHED;
  };
  RecordingExecution execution(2);
  Execute(execution);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(execution.responses(i).at(0).whole_batch);
    EXPECT_EQ(execution.responses(i)[0].parameters, (core::Parameters{{"stop", std::string("length")}}));
  }
}

// An older engine may have any bytes after the fields that it knows.
TEST_F(BatchParametersTest, AResponseOfBeforeHasNone) {
  const auto older = [](inferd_response* response) {
    response->struct_size = offsetof(inferd_response, parameter_names);
  };
  for (const size_t requests : {1, 2}) {
    engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
      Respond(batch, INFERD_ALL_REQUESTS, {{"a", Of(77)}}, older);
      return INFERD_FINISHED;
    };
    RecordingExecution execution(requests);
    Execute(execution);
    EXPECT_TRUE(execution.responses().at(0).status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_TRUE(execution.responses()[0].parameters.empty());
  }
}

TEST_F(BatchParametersTest, AFailuresAreIgnored) {
  const auto answer = AnswerOf({{"", Of(77)}}, [](inferd_response* response) { response->code = INFERD_NOT_FOUND; });
  EXPECT_EQ(answer.status.code(), base::StatusCode::kNotFound);
  EXPECT_TRUE(answer.parameters.empty());
}

TEST_F(BatchParametersTest, AsManyAndAsLongAsMayBe) {
  std::vector<Named> many;
  const std::string text(core::kResponseParameterBytesMax / core::kResponseParametersMax - 2, 'x');
  for (size_t i = 0; i < core::kResponseParametersMax; ++i) many.push_back({std::to_string(10 + i), Text(text)});
  const auto answer = AnswerOf(many);
  EXPECT_TRUE(answer.status.ok()) << answer.status.ToString();
  EXPECT_EQ(answer.parameters.size(), core::kResponseParametersMax);
}

TEST_F(BatchParametersTest, WhatCannotBeAnsweredIsTheEnginesFault) {
  const std::string long_text(core::kResponseParameterBytesMax + 1, 'x');
  inferd_parameter nowhere = Of(INFERD_PARAMETER_TEXT);
  nowhere.text_value.size = 5;
  const auto no_names = [](inferd_response* response) { response->parameter_names = nullptr; };
  const auto no_values = [](inferd_response* response) { response->parameters = nullptr; };
  const inferd_parameter* const missing[] = {nullptr};
  const auto missing_value = [&](inferd_response* response) { response->parameters = missing; };
  struct Case {
    std::vector<Named> given;
    std::function<void(inferd_response*)> change;
    const char* what;
  };
  const Case kCases[] = {
      {std::vector<Named>(65, {"a", Of(INFERD_PARAMETER_BOOL)}), {}, "answered more than 64 parameters"},
      {{{"a", Text(long_text)}}, {}, "answered parameters of more than 65536 bytes"},
      {{{long_text, Of(INFERD_PARAMETER_BOOL)}}, {}, "answered parameters of more than 65536 bytes"},
      {{{"a", Text("\xFF")}}, {}, "answered parameter 'a' with a text that is not UTF-8"},
      {{{"a", Of(5)}}, {}, "answered a parameter whose value cannot be read"},
      {{{"a", nowhere}}, {}, "answered a parameter whose value cannot be read"},
      {{{"a", Text("b")}}, missing_value, "answered a parameter whose value cannot be read"},
      {{{"a", Text("b")}}, no_names, "answered parameters without names or values"},
      {{{"a", Text("b")}}, no_values, "answered parameters without names or values"},
      {{{"triton_x", Text("b")}}, {}, "are reserved"},
  };
  for (const Case& c : kCases) {
    const auto answer = AnswerOf(c.given, c.change);
    EXPECT_EQ(answer.status.code(), base::StatusCode::kInternal);
    EXPECT_THAT(answer.status.message(), HasSubstr("engine 'stub'"));
    EXPECT_THAT(answer.status.message(), HasSubstr(c.what));
    EXPECT_TRUE(answer.parameters.empty());
  }
}

}  // namespace
}  // namespace inferd::enginehost
