#pragma once

#include <memory>

#include "config/options/server_options.h"
#include "protocols/front_end.h"
#include "protocols/tfs_grpc/service.h"

namespace inferd::tfs_grpc {

Options OptionsOf(const config::ServerOptions& options);

// Returns TensorFlow Serving's gRPC API.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::tfs_grpc
