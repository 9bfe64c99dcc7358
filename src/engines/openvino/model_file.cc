#include "engines/openvino/model_file.h"

#include <openvino/core/except.hpp>

#include <string>
#include <system_error>

#include "base/system/regular_file.h"
#include "engines/kit/parameters.h"
#include "engines/openvino/error_text.h"

namespace inferd::openvino {

namespace {

// Offsets in such files have 31 bits.
constexpr size_t kLiteBytesMax = (size_t{1} << 31) - 1;

}  // namespace

base::Result<ModelFile> ModelFile::Find(const inferd_load& load) {
  std::filesystem::path path(kit::ToView(load.model_file));
  std::error_code error;
  // In TensorFlow Serving's layout the version's folder itself is the SavedModel.
  if (path.filename() == "saved_model.pb") path = path.parent_path();
  // A folder of ONNX is a model with external data: it has a file of its own name or `model.onnx`.
  if (path.extension() == ".onnx" && std::filesystem::is_directory(path, error)) {
    const std::filesystem::path same_name = path / path.filename();
    path = std::filesystem::exists(same_name, error) ? same_name : path / "model.onnx";
  }
  if (!std::filesystem::exists(path, error)) {
    return std::unexpected(base::NotFound("model file '" + path.string() + "' does not exist"));
  }
  return ModelFile{.path = path,
                   .graph = path.extension() == ".graphdef" || path.extension() == ".pb",
                   .lite = path.extension() == ".tflite"};
}

FileNames ModelFile::ReadNames() const {
  FileNames names{.graph = graph};
  if (!lite) return names;
  const auto bytes = base::ReadRegularFile(path.string(), kLiteBytesMax);
  if (bytes.has_value()) names.lite = ReadTfliteNames(*bytes);
  return names;
}

base::Result<std::shared_ptr<ov::Model>> ModelFile::Read(ov::Core& core) const {
  try {
    std::shared_ptr<ov::Model> model = core.read_model(path);
    // An empty Paddle file is a program without operators.
    if (!model->outputs().empty()) return model;
    return std::unexpected(base::InvalidArgument("model file '" + path.string() + "': the model has no outputs"));
  } catch (const ov::Exception& exception) {
    return std::unexpected(base::InvalidArgument("model file '" + path.string() + "': " + ErrorText(exception.what())));
  }
}

}  // namespace inferd::openvino
