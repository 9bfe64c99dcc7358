#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace inferd::onnxruntime {

// Returns true if the graph of a model file has an operator of one of these types, outside of branches and loops. Reads
// only names and lengths, whatever the size of the weights. Also returns false for a file that is not an ONNX model:
// the library reports that.
bool HasOperator(const std::filesystem::path& file, std::span<const std::string_view> types);

}  // namespace inferd::onnxruntime
