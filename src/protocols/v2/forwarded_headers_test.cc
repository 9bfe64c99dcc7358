#include "protocols/v2/forwarded_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "protocols/v2/parameters.h"

namespace inferd::v2 {
namespace {

using Headers = std::vector<std::pair<std::string_view, std::string_view>>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

core::ParameterValue Text(std::string text) { return core::ParameterValue(std::move(text)); }

base::Status Add(std::string_view pattern, const Headers& headers, core::Parameters& parameters) {
  return AddForwardedHeaders(*base::NamePattern::Create(pattern), headers, parameters);
}

TEST(ForwardedHeadersTest, MatchingOnesBecomeStringsBesideTheRequestsOwn) {
  core::Parameters parameters = {{"my_own", true}};
  EXPECT_TRUE(Add("my_",
                  {{"host", "h"},
                   {"my_-bin", "AA"},
                   {"grpc-my_", "x"},
                   {"my_1", "a \"b\""},
                   {"MY_2", ""},
                   {"my_1", "second"},
                   {"my_own", "no"}},
                  parameters)
                  .ok());
  EXPECT_THAT(parameters, ElementsAre(Pair("my_own", core::ParameterValue(true)), Pair("my_1", Text("a \"b\"")),
                                      Pair("MY_2", Text(""))));
}

TEST(ForwardedHeadersTest, NamesWithAMeaningAreRefused) {
  for (const char* name : {"sequence_id", "sequence_start", "sequence_end", "priority", "timeout", "binary_data_output",
                           "triton_enable_empty_final_response"}) {
    core::Parameters parameters;
    const base::Status status = Add(".*", {{name, "1"}}, parameters);
    EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("header '" + std::string(name) + "'"));
  }
}

TEST(ForwardedHeadersTest, ThereAreNotMoreThanParametersMayBe) {
  core::Parameters parameters;
  for (size_t i = 0; i < kParametersMax; ++i) parameters.emplace_back("p" + std::to_string(i), true);
  EXPECT_TRUE(Add("x", {{"host", "h"}}, parameters).ok());
  EXPECT_EQ(Add("x", {{"x", "1"}}, parameters).code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::v2
