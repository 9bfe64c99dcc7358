#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::tensor {

// The data types of Predict V2 ("Tensor Data Types") plus BF16 (Triton, Open Inference Protocol), numbered as in
// ModelConfig's DataType enumeration. Types after these exist only in TensorFlow's tensors; IsPredictV2() tells them
// apart.
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
  kComplex64 = 15,   // two FP32: the real part, the imaginary part
  kComplex128 = 16,  // two FP64
  kQint8 = 17,       // quantized numbers, laid out like the integers of their name
  kQuint8 = 18,
  kQint16 = 19,
  kQuint16 = 20,
  kQint32 = 21,
};
inline constexpr DataType kLastDataType = DataType::kQint32;

// Returns true if Predict V2 has the type; its clients can send and receive no other types. False for kInvalid.
constexpr bool IsPredictV2(DataType type) { return type != DataType::kInvalid && type <= DataType::kBf16; }

// Returns the bytes of one element, or 0 for BYTES, whose elements vary, and for kInvalid.
size_t ElementSize(DataType type);

// Returns "FP32" and the like, and "INVALID" for kInvalid. Types outside of Predict V2 have names of the same kind:
// "COMPLEX64".
std::string_view DataTypeName(DataType type);

// Parses Predict V2's names only. Case-sensitive (Predict V2: "All strings in all contexts are case-sensitive").
std::optional<DataType> ParseDataType(std::string_view name);

}  // namespace inferd::tensor
