#include "protocols/tfs/dtype.h"

#include <gtest/gtest.h>

namespace inferd::tfs {
namespace {

using tensor::DataType;

TEST(DtypeTest, EveryDatatypeHasOneAndBack) {
  for (int type = 1; type <= static_cast<int>(tensor::kLastDataType); ++type) {
    const Dtype dtype = DtypeOf(static_cast<DataType>(type));
    EXPECT_NE(dtype, Dtype::kInvalid) << type;
    EXPECT_EQ(static_cast<int>(DataTypeOf(static_cast<uint64_t>(dtype))), type);
  }
}

TEST(DtypeTest, NamesAndNumbersAreAsPublished) {
  EXPECT_EQ(DtypeName(DtypeOf(DataType::kFp32)), "DT_FLOAT");
  EXPECT_EQ(DtypeName(DtypeOf(DataType::kBytes)), "DT_STRING");
  EXPECT_EQ(static_cast<int>(DtypeOf(DataType::kUint64)), 23);
  EXPECT_EQ(DtypeName(Dtype::kInvalid), "DT_INVALID");
  EXPECT_EQ(DtypeName(DtypeOf(DataType::kComplex128)), "DT_COMPLEX128");
  EXPECT_EQ(static_cast<int>(DtypeOf(DataType::kComplex128)), 18);
  EXPECT_EQ(static_cast<int>(DtypeOf(DataType::kQint32)), 13);
}

TEST(DtypeTest, OthersAreNone) {
  constexpr uint64_t kResource = 20;
  constexpr uint64_t kFloatReference = 101;
  for (const uint64_t number : {uint64_t{0}, kResource, kFloatReference, uint64_t{256 + 1}, UINT64_MAX}) {
    EXPECT_EQ(DataTypeOf(number), DataType::kInvalid) << number;
  }
}

}  // namespace
}  // namespace inferd::tfs
