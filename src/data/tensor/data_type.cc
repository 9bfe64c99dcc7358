#include "data/tensor/data_type.h"

#include <array>

namespace inferd::tensor {

namespace {

struct Row {
  std::string_view name;
  uint8_t size;
};

// Indexed by DataType.
constexpr std::array<Row, 22> kTable = {
    {{"INVALID", 0}, {"BOOL", 1},   {"UINT8", 1},   {"UINT16", 2},    {"UINT32", 4},      {"UINT64", 8},
     {"INT8", 1},    {"INT16", 2},  {"INT32", 4},   {"INT64", 8},     {"FP16", 2},        {"FP32", 4},
     {"FP64", 8},    {"BYTES", 0},  {"BF16", 2},    {"COMPLEX64", 8}, {"COMPLEX128", 16}, {"QINT8", 1},
     {"QUINT8", 1},  {"QINT16", 2}, {"QUINT16", 2}, {"QINT32", 4}}};
static_assert(kTable.size() == static_cast<size_t>(kLastDataType) + 1);

}  // namespace

size_t ElementSize(DataType type) { return kTable[static_cast<size_t>(type)].size; }

std::string_view DataTypeName(DataType type) { return kTable[static_cast<size_t>(type)].name; }

std::optional<DataType> ParseDataType(std::string_view name) {
  for (size_t i = 1; i < kTable.size(); ++i) {
    const auto type = static_cast<DataType>(i);
    if (IsPredictV2(type) && kTable[i].name == name) return type;
  }
  return std::nullopt;
}

}  // namespace inferd::tensor
