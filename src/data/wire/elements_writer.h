#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "data/tensor/data_type.h"
#include "data/wire/writer.h"

namespace inferd::wire {

// Writes the elements of a tensor of `type` as the repeated field `number`, in the form that elements_reader.h
// describes. `data` must fit the shape. Floats are not copied: in packed form they are the tensor's bytes.
void WriteElements(Writer& out, uint32_t number, tensor::DataType type, const base::BufferSlice& data);

}  // namespace inferd::wire
