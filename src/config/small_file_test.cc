#include "config/small_file.h"

#include <gtest/gtest.h>

namespace inferd::config {
namespace {

TEST(SmallFileTest, FilesInMemoryAreReadAgainAndAgain) {
  const auto path = MakeMemoryFile("text");
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(ReadSmallFile(*path, 4).value(), "text");
  EXPECT_EQ(ReadSmallFile(*path, 4).value(), "text");
  EXPECT_EQ(ReadSmallFile(*path, 3).error().code(), base::StatusCode::kInvalidArgument);
}

TEST(SmallFileTest, WhatIsNotThereIsSaidByName) {
  EXPECT_EQ(ReadSmallFile("/nowhere/x", 1).error(), base::NotFound("cannot read '/nowhere/x'"));
  EXPECT_FALSE(ReadSmallFile("/", 1).has_value());
}

}  // namespace
}  // namespace inferd::config
