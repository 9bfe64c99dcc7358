#pragma once

#include <cstddef>
#include <cstdint>

namespace inferd::python {

// Returns true if a buffer's elements, as Python describes them (format, size), have the layout of this datatype:
// numpy's own types in the machine's byte order. BF16 is uint16 there.
bool IsElement(int32_t datatype, const char* format, size_t size);

}  // namespace inferd::python
