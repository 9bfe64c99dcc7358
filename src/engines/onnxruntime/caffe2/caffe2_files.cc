#include "engines/onnxruntime/caffe2/caffe2_files.h"

#include <fstream>
#include <system_error>
#include <vector>

#include "enginekit/parameters.h"
#include "netdef/rewrite.h"

namespace inferd::onnxruntime {

namespace {

using enginekit::ToView;

base::Result<std::string> ReadFile(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return std::unexpected(base::NotFound("model file '" + path.string() + "' does not exist"));
  if (size > netdef::kModelBytesMax) {
    return std::unexpected(base::ResourceExhausted("model file '" + path.string() + "' has more than " +
                                                   std::to_string(netdef::kModelBytesMax) + " bytes"));
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(static_cast<size_t>(size), '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    return std::unexpected(base::InvalidArgument("model file '" + path.string() + "' cannot be read"));
  }
  return bytes;
}

netdef::Element ToElement(int32_t datatype) {
  switch (datatype) {
    case INFERD_TYPE_BOOL: return netdef::Element::kBool;
    case INFERD_TYPE_UINT8: return netdef::Element::kUint8;
    case INFERD_TYPE_INT8: return netdef::Element::kInt8;
    case INFERD_TYPE_UINT16: return netdef::Element::kUint16;
    case INFERD_TYPE_INT16: return netdef::Element::kInt16;
    case INFERD_TYPE_INT32: return netdef::Element::kInt32;
    case INFERD_TYPE_INT64: return netdef::Element::kInt64;
    case INFERD_TYPE_FP16: return netdef::Element::kFloat16;
    case INFERD_TYPE_FP32: return netdef::Element::kFloat;
    case INFERD_TYPE_FP64: return netdef::Element::kDouble;
    default: return netdef::Element::kUndefined;
  }
}

// Those of datatypes that nets have; the rewrite says what is missing.
std::vector<netdef::NetInput> InputsOf(const inferd_load& load) {
  std::vector<netdef::NetInput> inputs;
  for (size_t i = 0; i < load.declared->input_count; ++i) {
    const inferd_tensor_spec& spec = *load.declared->inputs[i];
    const netdef::Element element = ToElement(spec.datatype);
    if (element == netdef::Element::kUndefined) continue;
    inputs.push_back({.name = ToView(spec.name), .element = element, .shape = {spec.shape, spec.shape + spec.rank}});
  }
  return inputs;
}

}  // namespace

bool IsCaffe2(const inferd_load& load, const std::filesystem::path& file) {
  return ToView(load.backend) == "caffe2" || file.extension() == ".netdef";
}

base::Result<std::string> ReadCaffe2(const inferd_load& load, const std::filesystem::path& file) {
  const std::string name = file.filename();
  const std::string init_name = "init_" + name;
  INFERD_ASSIGN_OR_RETURN(const std::string predict, ReadFile(file));
  INFERD_ASSIGN_OR_RETURN(const std::string init, ReadFile(file.parent_path() / init_name));
  return netdef::RewriteNets({name, predict}, {init_name, init}, InputsOf(load));
}

}  // namespace inferd::onnxruntime
