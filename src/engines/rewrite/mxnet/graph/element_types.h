#pragma once

#include <cstdint>
#include <string_view>

#include "engines/rewrite/onnx/onnx_writer.h"

namespace inferd::mxnet {

using onnx::Element;

// Returns the datatype of MXNet's number (mshadow's type flags) in parameter files and `__dtype__`. kUndefined if there
// is none, or ONNX does not have it.
Element ElementOfFlag(int64_t flag);

// Does the same for a name in attributes: "float32".
Element ElementOfName(std::string_view name);

bool IsFloating(Element element);

onnx::Attributes CastTo(Element element);

}  // namespace inferd::mxnet
