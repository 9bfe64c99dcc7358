#include "config/format/format_table.h"

#include <algorithm>

#include "base/text/file_pattern.h"

namespace inferd::config {
namespace {

constexpr std::string_view kOpenVino = "openvino";
constexpr std::string_view kTorch =
    "PyTorch models need exporting, to TorchScript with torch.jit.trace(model, example).save('model.pt') or to ONNX "
    "with "
    "torch.onnx.export(model, example, 'model.onnx')";
constexpr std::string_view kKeras =
    "Keras models need exporting as a SavedModel, model.export('model.savedmodel'), for the tensorflow engine, or "
    "converting to ONNX with tf2onnx";
constexpr std::string_view kXgboost =
    "XGBoost models need converting to ONNX: onnxmltools.convert_xgboost(model) (pip install onnxmltools)";
constexpr std::string_view kLightGbm =
    "LightGBM models need converting to ONNX: onnxmltools.convert_lightgbm(model) (pip install onnxmltools)";

constexpr std::array kFormats = {
    Format{.name = "TensorFlow SavedModel",
           .platform = "tensorflow_savedmodel",
           .files = {"*.savedmodel"},
           .kinds = {FileKind::kFolder, FileKind::kSavedModel},
           .also = kOpenVino},
    Format{.name = "TensorFlow SavedModel",
           .platform = "tensorflow_savedmodel",
           .files = {"saved_model.pb", "saved_model.pbtxt"},
           .kinds = {FileKind::kSavedModel, FileKind::kFolder},
           .beside = Beside::kProgram,
           .also = kOpenVino},
    Format{
        .name = "TensorFlow GraphDef", .platform = "tensorflow_graphdef", .files = {"*.graphdef"}, .also = kOpenVino},
    Format{.name = "TensorRT plan",
           .platform = "tensorrt_plan",
           .files = {"*.plan"},
           .kinds = {FileKind::kTensorRtPlan},
           .without = "serve the model that the plan was made of, as ONNX"},
    Format{
        .name = "ONNX", .platform = "onnx_onnxv1", .files = {"*.onnx"}, .kinds = {FileKind::kOnnx}, .also = kOpenVino},
    Format{.name = "OpenVINO",
           .platform = "openvino",
           .files = {"*.xml"},
           .companion = "*.bin",
           .content = Content::kProves,
           .kinds = {FileKind::kOpenVinoIr},
           .without = "serve the model that it was converted from, as ONNX"},
    Format{.name = "TorchScript",
           .platform = "pytorch_torchscript",
           .files = {"*.pt", "*.pth"},
           .content = Content::kTells,
           .kinds = {FileKind::kTorchScript},
           .without = kTorch},
    Format{.name = "file of torch.save",
           .platform = "",
           .files = {"*.pt", "*.pth", "*.ckpt"},
           .content = Content::kTells,
           .kinds = {FileKind::kTorchSave, FileKind::kPickle},
           .without = kTorch},
    Format{.name = "AOTInductor package",
           .platform = "torch_aoti",
           .files = {"*.pt2"},
           .kinds = {FileKind::kTorchExport},
           .without = kTorch,
           .code = true},
    Format{.name = "Python model", .platform = "python", .files = {"model.py"}, .beside = Beside::kProgram},
    Format{.name = "MLflow",
           .platform = "python",
           .files = {"MLmodel"},
           .beside = Beside::kFolder,
           .without = "export the model to ONNX"},
    Format{.name = "MXNet",
           .platform = "mxnet_mxnet",
           .files = {"*-symbol.json"},
           .companion = "*-*.params",
           .kinds = {FileKind::kMxnetSymbol},
           .without = "export the model to ONNX",
           .also = "python"},
    Format{.name = "Caffe2 NetDef",
           .platform = "caffe2_netdef",
           .files = {"*.netdef"},
           .companion = "init_*.netdef",
           .without = "export the model to ONNX"},
    Format{.name = "XGBoost",
           .platform = "forest",
           .files = {"*.ubj", "*.bst", "*.xgb"},
           .content = Content::kTells,
           .kinds = {FileKind::kXgboostUbj, FileKind::kXgboostJson, FileKind::kXgboostBinary},
           .beside = Beside::kData,
           .without = kXgboost},
    Format{.name = "XGBoost",
           .platform = "forest",
           .files = {"*.json", "*.model"},
           .content = Content::kProves,
           .kinds = {FileKind::kXgboostUbj, FileKind::kXgboostJson, FileKind::kXgboostBinary},
           .beside = Beside::kData,
           .without = kXgboost},
    Format{.name = "LightGBM",
           .platform = "forest",
           .files = {"*.txt", "*.bst", "*.lgb"},
           .content = Content::kProves,
           .kinds = {FileKind::kLightGbm},
           .beside = Beside::kData,
           .without = kLightGbm},
    Format{.name = "treelite checkpoint",
           .platform = "forest",
           .files = {"*.tl", "*.treelite"},
           .kinds = {FileKind::kTreelite},
           .beside = Beside::kData},
    Format{.name = "Python pickle",
           .platform = "python",
           .files = {"*.joblib", "*.pkl", "*.pickle", "*.skops"},
           .kinds = {FileKind::kPickle, FileKind::kCompressed, FileKind::kSkops, FileKind::kZip},
           .beside = Beside::kData},
    Format{
        .name = "PMML", .platform = "python", .files = {"*.pmml"}, .kinds = {FileKind::kPmml}, .beside = Beside::kData},
    Format{.name = "CatBoost", .platform = "python", .files = {"*.cbm"}, .beside = Beside::kData},
    Format{.name = "Paddle",
           .platform = "openvino",
           .files = {"*.pdmodel"},
           .companion = "*.pdiparams",
           .without = "export the model to ONNX with paddle2onnx"},
    Format{.name = "Paddle 3",
           .platform = "python",
           .files = {"*.json"},
           .companion = "*.pdiparams",
           .content = Content::kProves,
           .kinds = {FileKind::kPaddlePir},
           .beside = Beside::kData,
           .without = "export the model to ONNX with paddle2onnx",
           .read = false},
    Format{.name = "TensorFlow Lite",
           .platform = "openvino",
           .files = {"*.tflite"},
           .kinds = {FileKind::kTfLite},
           .beside = Beside::kData,
           .without = "TensorFlow Lite models need converting to ONNX: python -m tf2onnx.convert --tflite FILE"},

    // Formats that no engine reads, with advice.
    Format{.name = "Keras",
           .platform = "",
           .files = {"*.keras", "*.h5", "*.hdf5"},
           .kinds = {FileKind::kKeras, FileKind::kHdf5},
           .without = kKeras},
    Format{.name = "safetensors",
           .platform = "",
           .files = {"*.safetensors"},
           .kinds = {FileKind::kSafetensors},
           .without = kTorch},
    Format{.name = "frozen TensorFlow graph",
           .platform = "",
           .files = {"*.pb"},
           .without = "a frozen TensorFlow graph is named model.graphdef, a SavedModel is saved_model.pb with its "
                      "folders"},
    Format{.name = "Core ML",
           .platform = "",
           .files = {"*.mlmodel"},
           .without = "Core ML models need converting to ONNX: onnxmltools.convert_coreml(model)"},
    Format{.name = "GGUF",
           .platform = "",
           .files = {"*.gguf"},
           .kinds = {FileKind::kGguf},
           .without = "GGUF models are not served: export the model to ONNX"},
    Format{.name = "ONNX Runtime's own format",
           .platform = "",
           .files = {"*.ort"},
           .without = "models in ONNX Runtime's own format are served as model.onnx: rename the file"},
};

}  // namespace

std::span<const Format> Formats() { return kFormats; }

std::vector<NamedFormat> FormatsOf(std::string_view engine) {
  std::vector<NamedFormat> formats;
  for (const Format& row : kFormats) {
    const Platform* const platform = PlatformOf(row);
    if (platform == nullptr || platform->engine != engine || !row.read) continue;
    if (formats.empty() || formats.back().name != row.name) formats.push_back({.name = row.name, .files = {}});
    for (const std::string_view file : row.files) {
      if (file.empty()) continue;
      formats.back().files.push_back(std::string(file) +
                                     (row.companion.empty() ? "" : " with " + std::string(row.companion)));
    }
  }
  return formats;
}

const Platform* PlatformOf(const Format& format) {
  const Platform* const platform = FindPlatform(format.platform);
  return platform == nullptr ? FindBackend(format.platform) : platform;
}

bool IsReadBy(const Format& format, std::string_view engine) {
  const Platform* const own = PlatformOf(format);
  const Platform* const also = FindBackend(format.also);
  return (own != nullptr && own->engine == engine) || (also != nullptr && also->engine == engine);
}

bool HasKind(const Format& format, FileKind kind) {
  return kind != FileKind::kUnknown && std::ranges::find(format.kinds, kind) != format.kinds.end();
}

bool IsNativeCode(std::string_view backend, std::string_view filename) {
  return std::ranges::any_of(kFormats, [&](const Format& format) {
    if (!format.code) return false;
    const Platform* const platform = PlatformOf(format);
    return (platform != nullptr && platform->backend == backend) ||
           std::ranges::any_of(format.files, [&](std::string_view pattern) {
             return !pattern.empty() && base::StarOf(pattern, filename).has_value();
           });
  });
}

std::string DefaultFileOf(const Platform& platform) {
  for (const Format& format : kFormats) {
    const Platform* const its = PlatformOf(format);
    const bool same = its != nullptr && its->backend == platform.backend && its->predict_v2 == platform.predict_v2;
    if (same && format.beside != Beside::kData) return base::WithStar(format.files.front(), "model");
  }
  return "";
}

}  // namespace inferd::config
