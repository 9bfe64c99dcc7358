#include "engines/onnxruntime/rewritten/model_file.h"

#include <fstream>
#include <system_error>

namespace inferd::onnxruntime {

base::Result<std::string> ReadModelFile(const std::filesystem::path& path, uint64_t bytes_max) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return std::unexpected(base::NotFound("model file '" + path.string() + "' does not exist"));
  if (size > bytes_max) {
    return std::unexpected(base::ResourceExhausted("model file '" + path.string() + "' has more than " +
                                                   std::to_string(bytes_max) + " bytes"));
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(static_cast<size_t>(size), '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    return std::unexpected(base::InvalidArgument("model file '" + path.string() + "' cannot be read"));
  }
  return bytes;
}

onnx::Element ToElement(int32_t datatype) {
  switch (datatype) {
    case INFERD_TYPE_BOOL: return onnx::Element::kBool;
    case INFERD_TYPE_UINT8: return onnx::Element::kUint8;
    case INFERD_TYPE_INT8: return onnx::Element::kInt8;
    case INFERD_TYPE_UINT16: return onnx::Element::kUint16;
    case INFERD_TYPE_INT16: return onnx::Element::kInt16;
    case INFERD_TYPE_INT32: return onnx::Element::kInt32;
    case INFERD_TYPE_INT64: return onnx::Element::kInt64;
    case INFERD_TYPE_FP16: return onnx::Element::kFloat16;
    case INFERD_TYPE_FP32: return onnx::Element::kFloat;
    case INFERD_TYPE_FP64: return onnx::Element::kDouble;
    default: return onnx::Element::kUndefined;
  }
}

}  // namespace inferd::onnxruntime
