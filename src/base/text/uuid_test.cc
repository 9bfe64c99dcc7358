#include "base/text/uuid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace inferd::base {
namespace {

TEST(UuidTest, IsOfVersion4AndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1'000; ++i) {
    const std::string uuid = NewUuid();
    ASSERT_EQ(uuid.size(), 36u);
    EXPECT_EQ(uuid.find_first_not_of("0123456789abcdef-"), std::string::npos);
    EXPECT_EQ(uuid[8], '-');
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

}  // namespace
}  // namespace inferd::base
