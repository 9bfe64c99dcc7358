#include "kserve/modelcalls/model_index.h"

#include <gtest/gtest.h>

namespace inferd::modelcalls {
namespace {

TEST(ModelIndexTest, ModelsAreReadyWhoseStateSaysSo) {
  const auto ready = ParseModelIndex(R"([{"name": "a", "version": "1", "state": "READY", "reason": ""},
      {"name": "b", "state": "UNAVAILABLE"}, {"name": "a", "state": "UNAVAILABLE"}, {"name": "c"}])");
  ASSERT_TRUE(ready.has_value());
  EXPECT_EQ(*ready, (std::set<std::string>{"a", "c"}));
  EXPECT_TRUE(ParseModelIndex("[]")->empty());
}

TEST(ModelIndexTest, WhatIsNoneIsRefused) {
  for (const char* text : {"", "{}", "[1]", "[{}]", R"([{"name": 1}])", R"([{"name": "a", "state": 1}])", "[] x"}) {
    EXPECT_EQ(ParseModelIndex(text).error().code(), base::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace inferd::modelcalls
