#pragma once

#include <memory>

#include "protocols/front_end.h"

namespace inferd::mlflow_http {

// MLflow's scoring protocol: POST /invocations, and what stands beside it.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::mlflow_http
