#pragma once

#include <openvino/core/type/element_type.hpp>

#include <cstdint>

namespace inferd::openvino {

// The inferd_datatype of an element type; INFERD_TYPE_INVALID for those that cannot be served: strings, for which the
// CPU has no operators, integers of less than a byte, 8-bit floats.
int32_t ToDatatype(const ov::element::Type& type);

}  // namespace inferd::openvino
