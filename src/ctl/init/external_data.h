#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

// Returns the files in which an ONNX model keeps its large tensors, as the model names them: paths relative to its
// folder, sorted, each once. Looks at 1,000,000 tensors and nodes at most, and 100 levels of graphs within graphs.
// INVALID_ARGUMENT if `model` is not a serialized ModelProto.
//
// Fields are those of onnx.proto: ModelProto.graph 7 and .functions 25; GraphProto.node 1, .initializer 5 and
// .sparse_initializer 15; NodeProto.attribute 5; AttributeProto.t 5, .g 6, .tensors 10, .graphs 11, .sparse_tensor 22,
// .sparse_tensors 23; FunctionProto.node 7; SparseTensorProto.values 1, .indices 2; TensorProto.external_data 13.
base::Result<std::vector<std::string>> ExternalDataOf(std::string_view model);

// Does the same for a file, which it maps into memory.
base::Result<std::vector<std::string>> ExternalDataOfFile(const std::filesystem::path& file);

}  // namespace inferd::ctl
