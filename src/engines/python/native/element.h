#pragma once

#include <cstddef>
#include <cstdint>

namespace inferd::python {

// Whether a buffer's elements, as Python describes them (format, size), are a tensor's of this datatype as they lie
// there: numpy's own types, in this machine's order of bytes. BF16 are uint16 there.
bool IsElement(int32_t datatype, const char* format, size_t size);

}  // namespace inferd::python
