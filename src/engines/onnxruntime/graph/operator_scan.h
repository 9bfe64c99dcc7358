#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace inferd::onnxruntime {

// Whether the graph of a model file has an operator of one of these types, those inside branches and loops aside. Reads
// names and lengths alone, whatever the size of the weights. False also for what is no ONNX model: the library says
// why.
bool HasOperator(const std::filesystem::path& file, std::span<const std::string_view> types);

}  // namespace inferd::onnxruntime
