#pragma once

#include <cstdint>

#include "data/wire/format.h"

// The fields of onnx.proto that are read or written here, as tags. Names begin with the message's name.

namespace inferd::onnxruntime {

inline constexpr uint32_t kModelIrVersion = wire::Tag(1, wire::Type::kVarint);
inline constexpr uint32_t kModelGraph = wire::Tag(7, wire::Type::kBytes);
inline constexpr uint32_t kModelOpset = wire::Tag(8, wire::Type::kBytes);
inline constexpr uint32_t kOpsetDomain = wire::Tag(1, wire::Type::kBytes);
inline constexpr uint32_t kOpsetVersion = wire::Tag(2, wire::Type::kVarint);

inline constexpr uint32_t kGraphNode = wire::Tag(1, wire::Type::kBytes);
inline constexpr uint32_t kGraphName = wire::Tag(2, wire::Type::kBytes);
inline constexpr uint32_t kGraphInput = wire::Tag(11, wire::Type::kBytes);
inline constexpr uint32_t kGraphOutput = wire::Tag(12, wire::Type::kBytes);
inline constexpr uint32_t kGraphValue = wire::Tag(13, wire::Type::kBytes);  // value_info: of tensors inside

inline constexpr uint32_t kNodeInput = wire::Tag(1, wire::Type::kBytes);
inline constexpr uint32_t kNodeOutput = wire::Tag(2, wire::Type::kBytes);
inline constexpr uint32_t kNodeName = wire::Tag(3, wire::Type::kBytes);
inline constexpr uint32_t kNodeType = wire::Tag(4, wire::Type::kBytes);
inline constexpr uint32_t kNodeAttribute = wire::Tag(5, wire::Type::kBytes);
inline constexpr uint32_t kNodeDomain = wire::Tag(7, wire::Type::kBytes);

inline constexpr uint32_t kAttributeName = wire::Tag(1, wire::Type::kBytes);
inline constexpr uint32_t kAttributeString = wire::Tag(4, wire::Type::kBytes);
inline constexpr uint32_t kAttributeNumber = wire::Tag(3, wire::Type::kVarint);
inline constexpr uint32_t kAttributeInt = wire::Tag(8, wire::Type::kVarint);  // of a list
inline constexpr uint32_t kAttributeInts = wire::Tag(8, wire::Type::kBytes);  // the same field, packed
inline constexpr uint32_t kAttributeStrings = wire::Tag(9, wire::Type::kBytes);
inline constexpr uint32_t kAttributeKind = wire::Tag(20, wire::Type::kVarint);
inline constexpr int64_t kAttributeKindInt = 2;
inline constexpr int64_t kAttributeKindString = 3;

inline constexpr uint32_t kValueName = wire::Tag(1, wire::Type::kBytes);
inline constexpr uint32_t kValueType = wire::Tag(2, wire::Type::kBytes);
inline constexpr uint32_t kTypeTensor = wire::Tag(1, wire::Type::kBytes);
inline constexpr uint32_t kTypeOptional = wire::Tag(9, wire::Type::kBytes);
inline constexpr uint32_t kOptionalElement = wire::Tag(1, wire::Type::kBytes);  // a type
inline constexpr uint32_t kTensorElement = wire::Tag(1, wire::Type::kVarint);
inline constexpr uint32_t kTensorShape = wire::Tag(2, wire::Type::kBytes);
inline constexpr uint32_t kShapeDim = wire::Tag(1, wire::Type::kBytes);
inline constexpr uint32_t kDimValue = wire::Tag(1, wire::Type::kVarint);
inline constexpr uint32_t kDimName = wire::Tag(2, wire::Type::kBytes);
inline constexpr int64_t kElementFloat = 1;

}  // namespace inferd::onnxruntime
