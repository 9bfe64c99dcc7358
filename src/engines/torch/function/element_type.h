#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

namespace inferd::torchscript {

// The inferd_datatype of an element type; INFERD_TYPE_INVALID for those that no protocol carries: quantized numbers
// with scales of their own, floats of 8 bits, complex halves.
int32_t ToDatatype(c10::ScalarType type);

// None: BYTES, and what TorchScript does not have.
std::optional<c10::ScalarType> ToElementType(int32_t datatype);

}  // namespace inferd::torchscript
