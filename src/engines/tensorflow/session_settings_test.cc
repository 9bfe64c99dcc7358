#include "engines/tensorflow/session_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::tensorflow {
namespace session_settings_test {

using ::testing::ElementsAre;

base::Result<SessionSettings> Parse(const std::vector<std::pair<std::string, std::string>>& parameters, int level = 0) {
  std::vector<inferd_pair> pairs;
  for (const auto& [key, value] : parameters) {
    pairs.push_back({{key.data(), key.size()}, {value.data(), value.size()}});
  }
  inferd_load load = {};
  load.parameters = pairs.data();
  load.parameter_count = pairs.size();
  load.graph_optimization_level = level;
  return SessionSettings::Parse(load);
}

const std::string kCallingThread = "\x28" + std::string(9, '\xff') + "\x01";  // inter-op threads: -1

TEST(SessionSettingsTest, WithoutParametersOperatorsRunOnTheCallingThread) {
  const auto settings = Parse({{"somebody_elses", "x"}});
  ASSERT_TRUE(settings);
  EXPECT_THAT(settings->tags, ElementsAre("serve"));
  EXPECT_FALSE(settings->starts_threads());
  EXPECT_EQ(settings->ConfigProto(3), "\x10\x03" + kCallingThread + "\x38\x01");
}

TEST(SessionSettingsTest, ThreadsOfTheSessionsOwn) {
  const auto settings = Parse({{"TF_NUM_INTRA_THREADS", "2"}, {"TF_NUM_INTER_THREADS", "4"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->intra_op_threads, 2);
  EXPECT_EQ(settings->ConfigProto(2), "\x10\x02\x28\x04\x48\x01\x38\x01");
}

TEST(SessionSettingsTest, TheGraphLevelIsXla) {
  EXPECT_EQ(Parse({}, 1)->ConfigProto(1), "\x10\x01" + kCallingThread + "\x38\x01\x52\x04\x1a\x02\x28\x01");
  EXPECT_EQ(Parse({}, 9)->jit_level, 2);
  EXPECT_EQ(Parse({}, -5)->jit_level, -1);
}

TEST(SessionSettingsTest, TheGraphLevelGoesBeforeTheParameter) {
  EXPECT_EQ(Parse({{"TF_GLOBAL_JIT_LEVEL", "2"}})->jit_level, 2);
  EXPECT_EQ(Parse({{"TF_GLOBAL_JIT_LEVEL", "-1"}})->jit_level, -1);
  EXPECT_EQ(Parse({{"TF_GLOBAL_JIT_LEVEL", "2"}}, -1)->jit_level, -1);
  EXPECT_FALSE(Parse({{"TF_GLOBAL_JIT_LEVEL", "3"}}));
}

TEST(SessionSettingsTest, SignatureAndTags) {
  const auto settings = Parse({{"TF_SIGNATURE_DEF", "half"}, {"TF_GRAPH_TAG", "serve,,gpu"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->signature, "half");
  EXPECT_THAT(settings->tags, ElementsAre("serve", "gpu"));
}

TEST(SessionSettingsTest, WhatIsNoNumberIsRefused) {
  const auto settings = Parse({{"TF_NUM_INTER_THREADS", "-1"}});
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().message(), "parameter 'TF_NUM_INTER_THREADS': expected a number from 0 to 1024, got '-1'");
}

}  // namespace session_settings_test
}  // namespace inferd::tensorflow
