#pragma once

#include <cstdint>
#include <string_view>

#include "data/tensor/data_type.h"
#include "data/wire/format.h"

// The numbers of tensorflow.TensorProto's fields.

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

// Returns the field for the elements of a tensor of `type`, which must not be kInvalid.
uint32_t ValueField(tensor::DataType type);

// Returns the wire type of one unpacked number of the field, or kEndGroup if the field has no numbers.
wire::Type NumbersType(uint32_t field);

// Returns "float_val" and the like.
std::string_view ValueFieldName(tensor::DataType type);

}  // namespace inferd::tfs_grpc
