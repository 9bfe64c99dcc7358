#include "protocols/v2/parameters.h"

#include <gtest/gtest.h>

namespace inferd::v2 {
namespace {

core::InferRequest RequestWith(core::Parameters parameters) {
  core::InferRequest request;
  request.parameters = std::move(parameters);
  return request;
}

TEST(TakeKnownParametersTest, TakesWhatTheServerActsOnAndLeavesTheRest) {
  core::InferRequest request = RequestWith({{"mine", std::string("a")},
                                            {"priority", int64_t{2}},
                                            {"timeout", uint64_t{1500}},
                                            {"binary_data_output", true},
                                            {"sequence_id", int64_t{7}},
                                            {"sequence_start", true},
                                            {"sequence_end", false},
                                            {"other", 1.5}});
  const auto settings = TakeKnownParameters(request);
  ASSERT_TRUE(settings.has_value()) << settings.error().ToString();
  EXPECT_TRUE(settings->binary_data_output);
  EXPECT_EQ(request.priority, 2u);
  EXPECT_EQ(request.timeout_us, 1500u);
  EXPECT_EQ(std::get<uint64_t>(request.sequence.id), 7u);
  EXPECT_TRUE(request.sequence.start);
  EXPECT_FALSE(request.sequence.end);
  const core::Parameters left = {{"mine", std::string("a")}, {"other", 1.5}};
  EXPECT_EQ(request.parameters, left);
}

TEST(TakeKnownParametersTest, RefusesWrongTypesNamingTheKey) {
  core::InferRequest request = RequestWith({{"priority", int64_t{-1}}});
  EXPECT_EQ(TakeKnownParameters(request).error(),
            base::InvalidArgument("parameter 'priority': expected an unsigned 64-bit integer, got -1"));
  request = RequestWith({{"timeout", std::string("soon")}});
  EXPECT_EQ(TakeKnownParameters(request).error(),
            base::InvalidArgument("parameter 'timeout': expected an unsigned 64-bit integer, got 'soon'"));
  request = RequestWith({{"binary_data_output", int64_t{1}}});
  EXPECT_EQ(TakeKnownParameters(request).error(),
            base::InvalidArgument("parameter 'binary_data_output': expected true or false, got 1"));
  request = RequestWith({{"sequence_end", 0.5}});
  EXPECT_EQ(TakeKnownParameters(request).error(),
            base::InvalidArgument("parameter 'sequence_end': expected true or false, got 0.5"));
}

TEST(TakeKnownParametersTest, SequencesAreCalledByNumberOrText) {
  for (const core::ParameterValue& none : {core::ParameterValue(int64_t{0}), core::ParameterValue(std::string())}) {
    core::InferRequest request = RequestWith({{"sequence_id", none}, {"sequence_start", true}});
    EXPECT_TRUE(TakeKnownParameters(request).has_value());
    EXPECT_FALSE(request.sequence.named());
  }
  core::InferRequest request = RequestWith({{"sequence_id", std::string(128, 'a')}, {"sequence_end", true}});
  ASSERT_TRUE(TakeKnownParameters(request).has_value());
  EXPECT_TRUE(request.sequence.named());
  EXPECT_EQ(std::get<std::string>(request.sequence.id), std::string(128, 'a'));
  EXPECT_TRUE(request.sequence.end);
  request = RequestWith({{"sequence_id", std::string(129, 'a')}});
  EXPECT_EQ(TakeKnownParameters(request).error(),
            base::InvalidArgument("parameter 'sequence_id' has 129 bytes; at most 128 are allowed"));
  request = RequestWith({{"sequence_id", int64_t{-1}}});
  EXPECT_EQ(TakeKnownParameters(request).error(),
            base::InvalidArgument("parameter 'sequence_id': expected an unsigned 64-bit integer or a string, got -1"));
}

TEST(TakeKnownParametersTest, RefusesReservedNames) {
  core::InferRequest request = RequestWith({{"triton_final_response", true}});
  EXPECT_EQ(TakeKnownParameters(request).error(),
            base::InvalidArgument(
                "parameter keys starting with 'triton_' are reserved for Triton usage, got 'triton_final_response'"));
}

TEST(ReadOutputSettingsTest, ReadsEachAndFallsBackToTheRequest) {
  EXPECT_EQ(*ReadOutputSettings({.name = "y", .parameters = {}}, true), (OutputSettings{.binary = true}));
  const core::Parameters all = {
      {"binary_data", false}, {"classification", int64_t{3}}, {"content_type", std::string("base64")}};
  EXPECT_EQ(*ReadOutputSettings({.name = "y", .parameters = all}, true),
            (OutputSettings{.binary = false, .classes = 3, .base64 = true}));
  EXPECT_EQ(*ReadOutputSettings({.name = "y", .parameters = {{"content_type", std::string("np")}}}, false),
            OutputSettings{});
}

TEST(ReadOutputSettingsTest, WhatIsInARegionIsNotInTheAnswer) {
  const auto read = [](core::Parameters more) {
    more.emplace_back("shared_memory_region", std::string("r"));
    return ReadOutputSettings({.name = "y", .parameters = std::move(more)}, true);
  };
  EXPECT_EQ(*read({}), (OutputSettings{.region = true}));
  EXPECT_EQ(*read({{"binary_data", false}}), (OutputSettings{.region = true}));
  EXPECT_EQ(read({{"binary_data", true}}).error().message(),
            "output 'y': parameter 'binary_data': an output is in the answer or in shared memory, not in both");
  EXPECT_EQ(read({{"classification", int64_t{2}}}).error().message(),
            "output 'y': parameter 'classification': classes are not written to shared memory");
}

TEST(ReadOutputSettingsTest, NamesOutputExpectedAndGot) {
  const auto read = [](std::string key, core::ParameterValue value) {
    return ReadOutputSettings({.name = "y", .parameters = {{std::move(key), std::move(value)}}}, false).error();
  };
  EXPECT_EQ(read("binary_data", std::string("yes")),
            base::InvalidArgument("output 'y': parameter 'binary_data': expected true or false, got 'yes'"));
  EXPECT_EQ(
      read("classification", int64_t{-1}),
      base::InvalidArgument("output 'y': parameter 'classification': expected an unsigned 32-bit integer, got -1"));
  EXPECT_EQ(read("classification", uint64_t{1} << 32).code(), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(read("content_type", true).code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::v2
