#pragma once

#include <string>

#include "protocols/rest/options.h"

namespace inferd::mlflow_http {

// How this front-end answers. Set before the server starts; immutable and shared by every loop's handler afterwards.
struct Options : rest::Options {
  std::string model;  // that /invocations, /ping and /health are about; empty: the only one that there is
};

}  // namespace inferd::mlflow_http
