#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace inferd::onnxruntime {

// Returns the names of a model file's inputs and outputs that are tensors without a shape, which accept any rank. The
// library's own signature shows them like scalars, whose shape has no dimensions. Reads only names and lengths,
// whatever the size of the weights. Empty if it is not an ONNX model.
std::set<std::string> FindUnknownRanks(const std::filesystem::path& file);

}  // namespace inferd::onnxruntime
