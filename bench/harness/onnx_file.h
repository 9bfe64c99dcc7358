#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/status.h"

namespace inferd::bench {

// Writes an ONNX model (IR version 8, operator set 17) of dense layers with ReLU between them: input "x" FP32 [batch,
// widths.front()], output "y" FP32 [batch, widths.back()]. A formula gives the weights, which are stored in the file, 4
// bytes each. Needs at least two widths, and a size below 2 GB.
base::Status WriteDenseModel(const std::filesystem::path& file, const std::vector<int64_t>& widths);

}  // namespace inferd::bench
