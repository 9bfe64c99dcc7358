#include "serving/tracing/trace_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::tracing {
namespace {

using config::TraceLevel;
using ::testing::HasSubstr;
using Values = std::vector<std::string>;

base::Status Applied(std::string name, std::optional<Values> values, TraceOverrides* overrides = nullptr) {
  TraceOverrides scratch;
  return Apply({{std::move(name), std::move(values)}}, overrides == nullptr ? scratch : *overrides);
}

TEST(TraceSettingsTest, SettingsAreChangedAndCleared) {
  TraceOverrides overrides;
  ASSERT_TRUE(Apply({{"trace_level", Values{"TIMESTAMPS", "TENSORS"}},
                     {"trace_rate", Values{"5"}},
                     {"trace_count", Values{"-1"}},
                     {"log_frequency", Values{"10"}}},
                    overrides)
                  .ok());
  const TraceSettings changed = overrides.Over({});
  EXPECT_EQ(changed, (TraceSettings{.level = TraceLevel::kAll, .rate = 5, .count = -1, .log_frequency = 10}));
  EXPECT_EQ(Describe(changed), (core::Tracing::Settings{{"trace_level", {"TIMESTAMPS", "TENSORS"}},
                                                        {"trace_rate", {"5"}},
                                                        {"trace_count", {"-1"}},
                                                        {"log_frequency", {"10"}}}));
  ASSERT_TRUE(Applied("trace_rate", std::nullopt, &overrides).ok());
  EXPECT_EQ(overrides.Over({.rate = 7}).rate, 7u);
  EXPECT_EQ(overrides.Over({}).level, TraceLevel::kAll);
}

TEST(TraceSettingsTest, WhatCannotBeIsRefusedAndChangesNothing) {
  TraceOverrides overrides;
  EXPECT_EQ(Apply({{"trace_rate", Values{"5"}}, {"trace_rat", Values{"5"}}}, overrides),
            base::InvalidArgument("trace setting 'trace_rat': unknown trace setting"));
  EXPECT_TRUE(overrides.empty());
  EXPECT_THAT(Applied("trace_level", Values{"SOME"}).message(), HasSubstr("expected OFF, TIMESTAMPS or TENSORS"));
  EXPECT_THAT(Applied("trace_level", Values{"OFF", "TENSORS"}).message(), HasSubstr("OFF stands alone"));
  EXPECT_THAT(Applied("trace_level", Values{}).message(), HasSubstr("at least one level"));
  EXPECT_THAT(Applied("trace_rate", Values{"1", "2"}).message(), HasSubstr("expected one value, got 2"));
  for (const char* text : {"", "x", "1x", "-2", "4294967296", "99999999999999999999"}) {
    EXPECT_EQ(Applied("trace_count", Values{text}).code(), base::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(Applied("trace_file", Values{"x"}).code(), base::StatusCode::kUnimplemented);
  EXPECT_EQ(Applied("trace_mode", Values{"x"}).code(), base::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace inferd::tracing
