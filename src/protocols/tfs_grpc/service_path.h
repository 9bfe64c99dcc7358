#pragma once

#include <string>
#include <string_view>

namespace inferd::tfs_grpc {

// The paths of the services' methods.
inline std::string PredictionPath(std::string_view method) {
  return "/tensorflow.serving.PredictionService/" + std::string(method);
}
inline std::string ModelPath(std::string_view method) {
  return "/tensorflow.serving.ModelService/" + std::string(method);
}
inline std::string SessionPath(std::string_view method) {
  return "/tensorflow.serving.SessionService/" + std::string(method);
}

}  // namespace inferd::tfs_grpc
