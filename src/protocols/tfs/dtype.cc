#include "protocols/tfs/dtype.h"

#include <algorithm>

namespace inferd::tfs {

namespace {

using tensor::DataType;

struct Row {
  DataType type;
  Dtype dtype;
  std::string_view name;
};

constexpr Row kRows[] = {
    {DataType::kBool, Dtype::kBool, "DT_BOOL"},
    {DataType::kUint8, Dtype::kUint8, "DT_UINT8"},
    {DataType::kUint16, Dtype::kUint16, "DT_UINT16"},
    {DataType::kUint32, Dtype::kUint32, "DT_UINT32"},
    {DataType::kUint64, Dtype::kUint64, "DT_UINT64"},
    {DataType::kInt8, Dtype::kInt8, "DT_INT8"},
    {DataType::kInt16, Dtype::kInt16, "DT_INT16"},
    {DataType::kInt32, Dtype::kInt32, "DT_INT32"},
    {DataType::kInt64, Dtype::kInt64, "DT_INT64"},
    {DataType::kFp16, Dtype::kHalf, "DT_HALF"},
    {DataType::kFp32, Dtype::kFloat, "DT_FLOAT"},
    {DataType::kFp64, Dtype::kDouble, "DT_DOUBLE"},
    {DataType::kBytes, Dtype::kString, "DT_STRING"},
    {DataType::kBf16, Dtype::kBfloat16, "DT_BFLOAT16"},
    {DataType::kComplex64, Dtype::kComplex64, "DT_COMPLEX64"},
    {DataType::kComplex128, Dtype::kComplex128, "DT_COMPLEX128"},
    {DataType::kQint8, Dtype::kQint8, "DT_QINT8"},
    {DataType::kQuint8, Dtype::kQuint8, "DT_QUINT8"},
    {DataType::kQint16, Dtype::kQint16, "DT_QINT16"},
    {DataType::kQuint16, Dtype::kQuint16, "DT_QUINT16"},
    {DataType::kQint32, Dtype::kQint32, "DT_QINT32"},
};
constexpr Row kNone = {DataType::kInvalid, Dtype::kInvalid, "DT_INVALID"};

template <typename Value, typename Member>
const Row& Find(Value value, Member member) {
  const auto row = std::ranges::find(kRows, value, member);
  return row == std::end(kRows) ? kNone : *row;
}

}  // namespace

Dtype DtypeOf(DataType type) { return Find(type, &Row::type).dtype; }

DataType DataTypeOf(uint64_t number) {
  return number > UINT8_MAX ? DataType::kInvalid : Find(static_cast<Dtype>(number), &Row::dtype).type;
}

std::string_view DtypeName(Dtype dtype) { return Find(dtype, &Row::dtype).name; }

}  // namespace inferd::tfs
