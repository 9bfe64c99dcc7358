#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace inferd::onnxruntime {

// Returns the names of a model file's inputs and outputs that are tensors without a shape, of which any rank may come.
// The library's own signature shows them as it does scalars, whose shape has no dimensions. Reads names and lengths
// alone, whatever the size of the weights. Empty for what is no ONNX model.
std::set<std::string> FindUnknownRanks(const std::filesystem::path& file);

}  // namespace inferd::onnxruntime
