#include "serving/core/request/response_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::core {
namespace {

using ::testing::HasSubstr;

Parameters Numbered(size_t count) {
  Parameters parameters;
  for (size_t i = 0; i < count; ++i) parameters.emplace_back("p" + std::to_string(i), true);
  return parameters;
}

TEST(ResponseParametersTest, WithinTheLimitsAnythingGoes) {
  EXPECT_TRUE(CheckResponseParameters({}).ok());
  EXPECT_TRUE(CheckResponseParameters(Numbered(kResponseParametersMax)).ok());
  EXPECT_TRUE(CheckResponseParameters({{"t", std::string(kResponseParameterBytesMax - 1, 'x')}}).ok());
  EXPECT_TRUE(CheckResponseParameters({{"\xC3\xA4", std::string("\xE2\x82\xAC\0", 4)}, {"tritons", 0.5}}).ok());
}

TEST(ResponseParametersTest, WhatCannotBeAnsweredIsNamed) {
  const std::pair<Parameters, const char*> kCases[] = {
      {Numbered(65), "more than 64 parameters"},
      {{{"t", std::string(kResponseParameterBytesMax, 'x')}}, "parameters of more than 65536 bytes"},
      {{{"t", std::string(40'000, 'x')}, {std::string(30'000, 'n'), true}}, "parameters of more than 65536 bytes"},
      {{{"", true}}, "a parameter without a name"},
      {{{"\xFF", true}}, "name is not UTF-8"},
      {{{"t", std::string("a\xC3")}}, "parameter 't' with a text that is not UTF-8"},
      {{{"a", true}, {"b", true}, {"a", int64_t{1}}}, "parameter 'a' twice"},
      {{{"triton_final_response", true}}, "names starting with 'triton_' are reserved"},
  };
  for (const auto& [parameters, what] : kCases) {
    const base::Status status = CheckResponseParameters(parameters);
    EXPECT_EQ(status.code(), base::StatusCode::kInternal);
    EXPECT_THAT(status.message(), HasSubstr(what));
  }
}

TEST(ResponseParametersTest, OfEachNameTheFirstStays) {
  Parameters parameters;
  AddResponseParameters(parameters, {{"a", int64_t{1}}});
  AddResponseParameters(parameters, {{"b", int64_t{2}}, {"a", int64_t{3}}});
  AddResponseParameters(parameters, {});
  EXPECT_EQ(parameters, (Parameters{{"a", int64_t{1}}, {"b", int64_t{2}}}));
}

TEST(ResponseParametersTest, AddsNoMoreThanAResponseMayHave) {
  Parameters parameters = {{"first", true}};
  AddResponseParameters(parameters, Numbered(kResponseParametersMax));
  EXPECT_EQ(parameters.size(), kResponseParametersMax);
  EXPECT_EQ(parameters.back().first, "p62");
}

}  // namespace
}  // namespace inferd::core
