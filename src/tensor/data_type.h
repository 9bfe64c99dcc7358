#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::tensor {

// Predict V2, "Tensor Data Types", plus BF16 (Triton, Open Inference Protocol). The numbers are those of ModelConfig's
// DataType enumeration.
enum class DataType : uint8_t {
  kInvalid = 0,
  kBool = 1,
  kUint8 = 2,
  kUint16 = 3,
  kUint32 = 4,
  kUint64 = 5,
  kInt8 = 6,
  kInt16 = 7,
  kInt32 = 8,
  kInt64 = 9,
  kFp16 = 10,
  kFp32 = 11,
  kFp64 = 12,
  kBytes = 13,
  kBf16 = 14,
};

// Bytes of one element; 0 for BYTES, whose elements vary, and for kInvalid.
size_t ElementSize(DataType type);

// "FP32"; "INVALID" for kInvalid.
std::string_view DataTypeName(DataType type);

// Case-sensitive (Predict V2: "All strings in all contexts are case-sensitive").
std::optional<DataType> ParseDataType(std::string_view name);

}  // namespace inferd::tensor
