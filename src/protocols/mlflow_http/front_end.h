#pragma once

#include <memory>

#include "protocols/front_end.h"

namespace inferd::mlflow_http {

// Returns MLflow's scoring protocol: POST /invocations, and its other endpoints.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::mlflow_http
