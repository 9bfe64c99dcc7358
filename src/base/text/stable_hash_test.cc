#include "base/text/stable_hash.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

// Test values of the algorithm's authors (Fowler, Noll, Vo).
TEST(StableHashTest, IsFnv1a) {
  EXPECT_EQ(StableHash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(StableHash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(StableHash("foobar"), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace inferd::base
