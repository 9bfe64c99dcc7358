#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "data/tensor/data_type.h"
#include "data/wire/writer.h"

namespace inferd::wire {

// Writes the elements of a tensor of `type` that fits its shape as the repeated field `number`, as elements_reader.h
// has them. Floats are not copied: packed, they are the tensor's bytes.
void WriteElements(Writer& out, uint32_t number, tensor::DataType type, const base::BufferSlice& data);

}  // namespace inferd::wire
