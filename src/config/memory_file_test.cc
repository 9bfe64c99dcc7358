#include "config/memory_file.h"

#include <gtest/gtest.h>

#include "base/system/regular_file.h"

namespace inferd::config {
namespace {

TEST(MemoryFileTest, FilesInMemoryAreReadAgainAndAgain) {
  const auto path = MakeMemoryFile("text");
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(base::ReadRegularFile(*path, 4).value(), "text");
  EXPECT_EQ(base::ReadRegularFile(*path, 4).value(), "text");
  EXPECT_EQ(base::ReadRegularFile(*path, 3).error().code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::config
