#include "engines/python/native/element.h"

#include <gmock/gmock.h>

#include "inferd/engine_abi.h"

namespace inferd::python {
namespace {

TEST(ElementTest, TellsKindsAndSizesApart) {
  EXPECT_TRUE(IsElement(INFERD_TYPE_FP32, "f", 4));
  EXPECT_FALSE(IsElement(INFERD_TYPE_FP32, "d", 8));
  EXPECT_FALSE(IsElement(INFERD_TYPE_FP32, "i", 4));
  EXPECT_TRUE(IsElement(INFERD_TYPE_INT64, "l", 8));
  EXPECT_TRUE(IsElement(INFERD_TYPE_INT64, "q", 8));
  EXPECT_FALSE(IsElement(INFERD_TYPE_INT64, "L", 8));
  EXPECT_FALSE(IsElement(INFERD_TYPE_INT32, "l", 8));
  EXPECT_TRUE(IsElement(INFERD_TYPE_BOOL, "?", 1));
  EXPECT_FALSE(IsElement(INFERD_TYPE_UINT8, "?", 1));
  EXPECT_TRUE(IsElement(INFERD_TYPE_BF16, "H", 2));
  EXPECT_TRUE(IsElement(INFERD_TYPE_FP16, "e", 2));
}

TEST(ElementTest, OtherOrdersOfBytesAndTextsAreNone) {
  EXPECT_FALSE(IsElement(INFERD_TYPE_FP32, ">f", 4));
  EXPECT_FALSE(IsElement(INFERD_TYPE_FP32, "", 4));
  EXPECT_FALSE(IsElement(INFERD_TYPE_FP32, nullptr, 4));
  EXPECT_FALSE(IsElement(INFERD_TYPE_BYTES, "O", 8));
}

}  // namespace
}  // namespace inferd::python
