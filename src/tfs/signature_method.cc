#include "tfs/signature_method.h"

#include <string>
#include <string_view>

#include "tfs/model_spec.h"

namespace inferd::tfs {

namespace {

constexpr std::string_view kPredict = "tensorflow/serving/predict";
constexpr std::string_view kClassify = "tensorflow/serving/classify";
constexpr std::string_view kRegress = "tensorflow/serving/regress";

std::string Expected(std::string_view kind, std::string_view expected, std::string_view method) {
  std::string text = "Expected ";
  return text.append(kind).append(" signature method_name to be ").append(expected).append(". Was: ").append(method);
}

}  // namespace

base::Status CheckMethod(Api api, const core::ModelSignature& signature) {
  const std::string_view method = MethodName(signature);
  switch (api) {
    case Api::kClassify:
      if (method == kClassify) return {};
      return base::InvalidArgument(Expected("classification", kClassify, method));
    case Api::kRegress:
      if (method == kRegress) return {};
      return base::InvalidArgument(Expected("regression", kRegress, method));
    default: break;
  }
  if (method == kPredict || method == kClassify || method == kRegress) return {};
  std::string any = "one of {";
  any.append(kPredict).append(", ").append(kClassify).append(", ").append(kRegress).append("}");
  return base::Internal(Expected("prediction", any, method));
}

}  // namespace inferd::tfs
