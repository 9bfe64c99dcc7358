#include "serving/core/model/refused_load.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::core {
namespace {

TEST(FailedToPollTest, QuotesTheModel) {
  EXPECT_EQ(FailedToPoll("m"), "failed to load 'm', failed to poll from model repository");
  EXPECT_EQ(FailedToPoll("a\nb"), "failed to load 'a\\nb', failed to poll from model repository");
  EXPECT_LT(FailedToPoll(std::string(100'000, 'x')).size(), 400U);
}

}  // namespace
}  // namespace inferd::core
