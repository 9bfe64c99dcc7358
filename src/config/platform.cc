#include "config/platform.h"

#include <algorithm>
#include <array>

namespace inferd::config {
namespace {

constexpr std::array kPlatforms = {
    Platform{"tensorflow_savedmodel", "tensorflow", "tensorflow", "tensorflow_savedmodel", "tensorflow_savedmodel"},
    Platform{"tensorflow_graphdef", "tensorflow", "tensorflow", "tensorflow_graphdef", "tensorflow_graphdef"},
    Platform{"tensorrt_plan", "tensorrt", "onnxruntime", "tensorrt_plan", "tensorrt_plan"},
    Platform{"onnx_onnxv1", "onnxruntime", "onnxruntime", "onnx_onnxv1", "onnxruntime_onnx"},
    Platform{"onnxruntime_onnx", "onnxruntime", "onnxruntime", "onnx_onnxv1", "onnxruntime_onnx"},
    Platform{"", "openvino", "openvino", "openvino", "openvino"},
    Platform{"pytorch_torchscript", "pytorch", "torch", "pytorch_torchscript", "pytorch_libtorch"},
    Platform{"pytorch_libtorch", "pytorch", "torch", "pytorch_torchscript", "pytorch_libtorch"},
    Platform{"", "torch_aoti", "torch", "torch_aoti", "torch_aoti"},
    Platform{"", "python", "python", "python", "python"},
    Platform{"", "forest", "forest", "forest", "forest"},
    Platform{"mxnet_mxnet", "mxnet", "onnxruntime", "mxnet_mxnet", "mxnet_mxnet"},
    Platform{"caffe2_netdef", "caffe2", "onnxruntime", "caffe2_netdef", "caffe2_netdef"},
    Platform{"ensemble", "", "ensemble", "ensemble", "ensemble"},
    Platform{"", "fake", "fake", "fake", "fake"},
    Platform{"", "identity", "fake", "identity", "identity"},
    Platform{"", "repeat", "fake", "repeat", "repeat"},
    Platform{"", "square", "fake", "square", "square"},
    Platform{"", "sequence", "fake", "sequence", "sequence"},
    Platform{"", "dyna_sequence", "fake", "dyna_sequence", "dyna_sequence"},
    Platform{"", "implicit_state", "fake", "implicit_state", "implicit_state"},
    Platform{"", "iterative_sequence", "fake", "iterative_sequence", "iterative_sequence"},
};

}  // namespace

const Platform* FindPlatform(std::string_view name) {
  if (name.empty()) return nullptr;
  const auto it = std::ranges::find(kPlatforms, name, &Platform::name);
  return it == kPlatforms.end() ? nullptr : &*it;
}

const Platform* FindBackend(std::string_view backend) {
  if (backend.empty()) return nullptr;
  const auto it = std::ranges::find(kPlatforms, backend, &Platform::backend);
  return it == kPlatforms.end() ? nullptr : &*it;
}

std::string KnownPlatforms() {
  std::string names;
  for (const Platform& platform : kPlatforms) {
    if (platform.name.empty() || FindPlatform(platform.name) != &platform) continue;
    if (!names.empty()) names += ", ";
    names += platform.name;
  }
  return names;
}

std::string_view ShownPlatform(const Platform& platform, PlatformNames names) {
  return names == PlatformNames::kTriton ? platform.triton : platform.predict_v2;
}

}  // namespace inferd::config
