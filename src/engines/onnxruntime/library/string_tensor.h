#pragma once

#include <span>

#include "base/status.h"
#include "engines/onnxruntime/library/ort.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// String tensors, whose elements ONNX Runtime keeps as std::string: the only kind that must be copied.

// Makes a tensor of these elements. Zero bytes inside them are kept.
base::Result<ValueOwner> MakeStringTensor(std::span<const inferd_text> elements, const int64_t* shape, size_t rank);

// Returns the size of the elements in packed form (engine_abi.h, INFERD_BYTES_PACKED).
base::Result<size_t> PackedSize(const OrtValue* value, size_t count);

// Writes the packed elements: exactly PackedSize() bytes.
base::Status PackStrings(const OrtValue* value, size_t count, std::span<std::byte> out);

}  // namespace inferd::onnxruntime
