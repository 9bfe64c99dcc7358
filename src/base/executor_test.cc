#include "base/executor.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace inferd::base {
namespace {

TEST(TaskOrElseTest, RunsOneOfTheTwoOnce) {
  std::string ran;
  const auto make = [&] { return TaskOrElse([&] { ran += "run "; }, [&] { ran += "otherwise "; }); };
  {
    std::optional<Task> task(make());
    (*task)();
    EXPECT_EQ(ran, "run ");
    task.reset();
    EXPECT_EQ(ran, "run ");
  }
  ran.clear();
  {
    std::optional<Task> task(make());
    Task moved(*std::move(task));
    task.reset();
    EXPECT_EQ(ran, "");
    moved = nullptr;
    EXPECT_EQ(ran, "otherwise ");
  }
  EXPECT_EQ(ran, "otherwise ");
}

}  // namespace
}  // namespace inferd::base
