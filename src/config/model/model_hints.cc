#include "config/model/model_hints.h"

#include <algorithm>
#include <array>

namespace inferd::config {
namespace {

struct Hint {
  std::string_view what;  // the ending of a file's name, or an engine
  std::string_view text;
};

constexpr std::string_view kPickles =
    "scikit-learn pickles need converting to ONNX: skl2onnx.to_onnx(model, X[:1]) (pip install skl2onnx)";
constexpr std::string_view kTorch =
    "PyTorch models need exporting to ONNX: torch.onnx.export(model, example, 'model.onnx')";
constexpr std::string_view kKeras =
    "Keras models need exporting as a SavedModel, model.export('model.savedmodel'), for the tensorflow engine, or "
    "converting to ONNX with tf2onnx";
constexpr std::string_view kXgboost =
    "XGBoost models need converting to ONNX: onnxmltools.convert_xgboost(model) (pip install onnxmltools)";

constexpr std::array kForeign = {
    Hint{".pkl", kPickles},
    Hint{".pickle", kPickles},
    Hint{".joblib", kPickles},
    Hint{".skops", kPickles},
    Hint{".pt", kTorch},
    Hint{".pth", kTorch},
    Hint{".pt2", kTorch},
    Hint{".ckpt", kTorch},
    Hint{".safetensors", kTorch},
    Hint{".h5", kKeras},
    Hint{".hdf5", kKeras},
    Hint{".keras", kKeras},
    Hint{".bst", kXgboost},
    Hint{".ubj", kXgboost},
    Hint{".xgb", kXgboost},
    Hint{"model.txt",
         "LightGBM models need converting to ONNX: onnxmltools.convert_lightgbm(model) (pip install onnxmltools)"},
    Hint{".cbm", "CatBoost models need saving as ONNX: model.save_model('model.onnx', format='onnx')"},
    Hint{".tflite", "TensorFlow Lite models need converting to ONNX: python -m tf2onnx.convert --tflite FILE"},
    Hint{".pb", "a frozen TensorFlow graph is named model.graphdef, a SavedModel is saved_model.pb with its folders"},
    Hint{".pmml", "PMML models are not served: export the model to ONNX"},
    Hint{".mlmodel", "Core ML models need converting to ONNX: onnxmltools.convert_coreml(model)"},
    Hint{".gguf", "GGUF models are not served: export the model to ONNX"},
    Hint{".ort", "models in ONNX Runtime's own format are served as model.onnx: rename the file"},
};

constexpr std::array kMissing = {
    Hint{"tensorflow",
         "./quickstart --engines onnxruntime,tensorflow installs it (tools/install_tensorflow and a build)"},
    Hint{"onnxruntime", "tools/install_deps and a build install it"},
    Hint{"torch", kTorch},
    Hint{"tensorrt", "serve the model that the plan was made of, as ONNX"},
    Hint{"openvino", "serve the model that it was converted from, as ONNX"},
    Hint{"python", "export the model to ONNX, or add an engine (docs/adding-an-engine.md)"},
    Hint{"mxnet", "export the model to ONNX"},
    Hint{"caffe2", "export the model to ONNX"},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

}  // namespace

std::string_view ForeignModelHint(std::string_view filename) {
  const std::string lower = Lower(filename);
  const auto it = std::ranges::find_if(kForeign, [&lower](const Hint& hint) { return lower.ends_with(hint.what); });
  return it == kForeign.end() ? std::string_view() : it->text;
}

std::string_view ForeignModelHint(std::span<const std::string> entries) {
  for (const std::string& entry : entries) {
    if (const std::string_view hint = ForeignModelHint(entry); !hint.empty()) return hint;
  }
  return {};
}

std::string_view MissingEngineHint(std::string_view engine) {
  const auto it = std::ranges::find(kMissing, engine, &Hint::what);
  return it == kMissing.end() ? std::string_view() : it->text;
}

}  // namespace inferd::config
