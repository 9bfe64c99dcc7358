#include "serving/ensemble/here_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <vector>

namespace inferd::ensemble {
namespace {

using ::testing::ElementsAre;

TEST(HereExecutor, ATaskThatPostsEndsBeforeTheNextOneBegins) {
  std::vector<int> order;
  HereExecutor::Get().Post([&] {
    HereExecutor::Get().Post([&] { order.push_back(2); });
    order.push_back(1);
  });
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(HereExecutor, ATaskThatThrowsKeepsNoOtherFromRunning) {
  std::vector<int> order;
  const auto post = [&] {
    HereExecutor::Get().Post([&] {
      HereExecutor::Get().Post([&] { order.push_back(1); });
      throw std::bad_alloc();
    });
  };
  EXPECT_THROW(post(), std::bad_alloc);
  EXPECT_THAT(order, ElementsAre(1));
  // The thread accepts tasks again.
  HereExecutor::Get().Post([&] { order.push_back(2); });
  EXPECT_THAT(order, ElementsAre(1, 2));
}

}  // namespace
}  // namespace inferd::ensemble
