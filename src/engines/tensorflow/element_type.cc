#include "engines/tensorflow/element_type.h"

#include <algorithm>
#include <iterator>

#include "inferd/engine_abi.h"

namespace inferd::tensorflow {

namespace {

struct Row {
  TF_DataType type;
  int32_t datatype;
  const char* name;
};

constexpr Row kTable[] = {{TF_FLOAT, INFERD_TYPE_FP32, "DT_FLOAT"},
                          {TF_DOUBLE, INFERD_TYPE_FP64, "DT_DOUBLE"},
                          {TF_INT32, INFERD_TYPE_INT32, "DT_INT32"},
                          {TF_UINT8, INFERD_TYPE_UINT8, "DT_UINT8"},
                          {TF_INT16, INFERD_TYPE_INT16, "DT_INT16"},
                          {TF_INT8, INFERD_TYPE_INT8, "DT_INT8"},
                          {TF_STRING, INFERD_TYPE_BYTES, "DT_STRING"},
                          {TF_INT64, INFERD_TYPE_INT64, "DT_INT64"},
                          {TF_BOOL, INFERD_TYPE_BOOL, "DT_BOOL"},
                          {TF_BFLOAT16, INFERD_TYPE_BF16, "DT_BFLOAT16"},
                          {TF_UINT16, INFERD_TYPE_UINT16, "DT_UINT16"},
                          {TF_HALF, INFERD_TYPE_FP16, "DT_HALF"},
                          {TF_UINT32, INFERD_TYPE_UINT32, "DT_UINT32"},
                          {TF_UINT64, INFERD_TYPE_UINT64, "DT_UINT64"},
                          {TF_COMPLEX64, INFERD_TYPE_COMPLEX64, "DT_COMPLEX64"},
                          {TF_COMPLEX128, INFERD_TYPE_COMPLEX128, "DT_COMPLEX128"},
                          {TF_QINT8, INFERD_TYPE_QINT8, "DT_QINT8"},
                          {TF_QUINT8, INFERD_TYPE_QUINT8, "DT_QUINT8"},
                          {TF_QINT16, INFERD_TYPE_QINT16, "DT_QINT16"},
                          {TF_QUINT16, INFERD_TYPE_QUINT16, "DT_QUINT16"},
                          {TF_QINT32, INFERD_TYPE_QINT32, "DT_QINT32"},
                          {TF_RESOURCE, INFERD_TYPE_INVALID, "DT_RESOURCE"},
                          {TF_VARIANT, INFERD_TYPE_INVALID, "DT_VARIANT"}};

const Row* FindRow(TF_DataType type) {
  const auto* row = std::find_if(std::begin(kTable), std::end(kTable), [=](const Row& r) { return r.type == type; });
  return row == std::end(kTable) ? nullptr : row;
}

}  // namespace

int32_t ToDatatype(TF_DataType type) {
  const Row* row = FindRow(type);
  return row == nullptr ? static_cast<int32_t>(INFERD_TYPE_INVALID) : row->datatype;
}

std::string ElementTypeName(TF_DataType type) {
  const Row* row = FindRow(type);
  return row == nullptr ? "number " + std::to_string(static_cast<int>(type)) : row->name;
}

}  // namespace inferd::tensorflow
