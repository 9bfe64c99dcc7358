#pragma once

#include <openvino/core/type/element_type.hpp>

#include <cstdint>

namespace inferd::openvino {

// Returns the inferd_datatype of an element type, or INFERD_TYPE_INVALID for those that cannot be served: strings, for
// which the CPU has no operators, integers of less than a byte, and 8-bit floats.
int32_t ToDatatype(const ov::element::Type& type);

}  // namespace inferd::openvino
