#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

namespace inferd::torchscript {

// Returns the inferd_datatype of an element type, or INFERD_TYPE_INVALID for those that no protocol carries: quantized
// numbers with scales of their own, 8-bit floats, complex halves.
int32_t ToDatatype(c10::ScalarType type);

// nullopt for BYTES, and for types that TorchScript does not have.
std::optional<c10::ScalarType> ToElementType(int32_t datatype);

}  // namespace inferd::torchscript
