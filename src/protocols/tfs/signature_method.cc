#include "protocols/tfs/signature_method.h"

#include <string>

#include "protocols/tfs/model_spec.h"

namespace inferd::tfs {

namespace {

std::string Expected(std::string_view kind, std::string_view expected, std::string_view method) {
  std::string text = "Expected ";
  return text.append(kind).append(" signature method_name to be ").append(expected).append(". Was: ").append(method);
}

}  // namespace

base::Status CheckMethod(Api api, const core::ModelSignature& signature) {
  const std::string_view method = MethodName(signature);
  switch (api) {
    case Api::kClassify:
      if (method == kClassifyMethod) return {};
      return base::InvalidArgument(Expected("classification", kClassifyMethod, method));
    case Api::kRegress:
      if (method == kRegressMethod) return {};
      return base::InvalidArgument(Expected("regression", kRegressMethod, method));
    default: break;
  }
  if (method == kPredictMethod || method == kClassifyMethod || method == kRegressMethod) return {};
  std::string any = "one of {";
  any.append(kPredictMethod).append(", ").append(kClassifyMethod).append(", ").append(kRegressMethod).append("}");
  return base::Internal(Expected("prediction", any, method));
}

}  // namespace inferd::tfs
