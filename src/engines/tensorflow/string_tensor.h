#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "engines/tensorflow/tf.h"
#include "inferd/engine_abi.h"

namespace inferd::tensorflow {

// String tensors, whose elements TensorFlow keeps as TF_TString: the only kind that must be copied.

// Makes a tensor of these elements. RESOURCE_EXHAUSTED if there is no memory.
base::Result<TensorOwner> MakeStringTensor(std::span<const inferd_text> elements, const int64_t* shape, size_t rank);

// Returns the size of the elements in packed form (engine_abi.h, INFERD_BYTES_PACKED). OUT_OF_RANGE if one is too long
// for that form.
base::Result<size_t> PackedSize(std::span<const TF_TString> elements);

// Writes the packed elements: exactly PackedSize() bytes.
void PackStrings(std::span<const TF_TString> elements, std::byte* out);

}  // namespace inferd::tensorflow
