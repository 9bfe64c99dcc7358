#pragma once

#include <memory>

#include "protocols/front_end.h"
#include "protocols/trtis/server_state.h"

namespace inferd::trtis_grpc {

// Returns the TensorRT Inference Server's API of 2018 over gRPC.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings,
                                                       std::shared_ptr<trtis::ServerState> state);

}  // namespace inferd::trtis_grpc
