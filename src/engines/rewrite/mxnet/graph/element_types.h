#pragma once

#include <cstdint>
#include <string_view>

#include "engines/rewrite/onnx/onnx_writer.h"

namespace inferd::mxnet {

using onnx::Element;

// The datatype of MXNet's number (mshadow's type flags), as files of parameters and `__dtype__` have it. kUndefined:
// there is none, or none that ONNX has.
Element ElementOfFlag(int64_t flag);

// Likewise of a name, as attributes have it: "float32".
Element ElementOfName(std::string_view name);

bool IsFloating(Element element);

onnx::Attributes CastTo(Element element);

}  // namespace inferd::mxnet
