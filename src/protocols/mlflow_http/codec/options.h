#pragma once

#include <string>

#include "protocols/rest/options.h"

namespace inferd::mlflow_http {

// The options of this front-end. Set before the server starts; then immutable and shared by every loop's handler.
struct Options : rest::Options {
  std::string model;  // the model of /invocations, /ping and /health; empty for the only one
};

}  // namespace inferd::mlflow_http
