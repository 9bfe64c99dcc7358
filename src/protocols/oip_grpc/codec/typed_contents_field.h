#pragma once

#include <cstdint>
#include <string_view>

#include "data/tensor/data_type.h"
#include "data/wire/format.h"

// The repeated fields of inference.InferTensorContents (Predict V2, "Tensor Data").

namespace inferd::oip_grpc {

inline constexpr uint32_t kContentsFieldMax = 8;
inline constexpr uint32_t kBytesContents = 8;

// Returns the number of the field for tensors of `type`, or 0 if there is none (FP16, BF16).
uint32_t ContentsField(tensor::DataType type);

// Returns "fp32_contents" and the like. 1 <= number <= kContentsFieldMax.
std::string_view ContentsFieldName(uint32_t number);

// Returns the wire type of one unpacked element.
wire::Type ContentsElementType(uint32_t number);

}  // namespace inferd::oip_grpc
