#pragma once

#include <memory>

#include "config/options/server_options.h"
#include "protocols/front_end.h"
#include "protocols/oip_grpc/service.h"

namespace inferd::oip_grpc {

Options OptionsOf(const config::ServerOptions& options);

// Returns inference.GRPCInferenceService.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::oip_grpc
