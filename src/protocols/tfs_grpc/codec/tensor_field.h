#pragma once

#include <cstdint>
#include <string_view>

#include "data/tensor/data_type.h"
#include "data/wire/format.h"

// Numbers of tensorflow.TensorProto's fields.

namespace inferd::tfs_grpc {

inline constexpr uint32_t kDtype = 1;
inline constexpr uint32_t kTensorShape = 2;
inline constexpr uint32_t kTensorContent = 4;
inline constexpr uint32_t kFloatVal = 5;
inline constexpr uint32_t kDoubleVal = 6;
inline constexpr uint32_t kStringVal = 8;
inline constexpr uint32_t kComplexVal = 9;
inline constexpr uint32_t kDoubleComplexVal = 12;
inline constexpr uint32_t kShapeDim = 2;          // TensorShapeProto.dim
inline constexpr uint32_t kShapeUnknownRank = 3;  // TensorShapeProto.unknown_rank
inline constexpr uint32_t kDimSize = 1;           // TensorShapeProto.Dim.size
inline constexpr uint32_t kDimName = 2;           // TensorShapeProto.Dim.name

// The field that holds the elements of a tensor of `type`, which is not kInvalid.
uint32_t ValueField(tensor::DataType type);

// How one number of the field is laid out where it is not packed; kEndGroup: the field holds no numbers.
wire::Type NumbersType(uint32_t field);

// "float_val"
std::string_view ValueFieldName(tensor::DataType type);

}  // namespace inferd::tfs_grpc
