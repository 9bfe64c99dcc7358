#include "serving/repository/records/held_memory.h"

#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

TEST(HeldMemoryTest, SumsAreByGpuAndForgetWhatIsGone) {
  HeldMemory sum{.bytes = 5, .gpus = {{0, 10}}};
  sum.Add({.bytes = 7, .gpus = {{0, 1}, {3, 20}}}, 2);
  EXPECT_EQ(sum, (HeldMemory{.bytes = 19, .gpus = {{0, 12}, {3, 40}}}));
  sum.Remove({.bytes = 19, .gpus = {{0, 12}, {3, 39}}});
  EXPECT_EQ(sum, (HeldMemory{.bytes = 0, .gpus = {{3, 1}}}));
  sum.Add({.bytes = 1, .gpus = {{5, 1}}}, 0);
  EXPECT_EQ(sum, (HeldMemory{.bytes = 0, .gpus = {{3, 1}}})) << "of a version without loads";
}

TEST(HeldMemoryTest, FilesOfAnySizeHaveASum) {
  EXPECT_EQ(SizeOf({}), 0);
  EXPECT_EQ(SizeOf({.files = {{.path = "a", .size = 3}, {.path = "b", .size = 4}}}), 7);
  EXPECT_EQ(SizeOf({.files = {{.path = "a", .size = UINT64_MAX}, {.path = "b", .size = UINT64_MAX}}}),
            HeldMemory::kMax);
}

}  // namespace
}  // namespace inferd::repository
