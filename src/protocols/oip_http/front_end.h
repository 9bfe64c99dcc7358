#pragma once

#include <memory>

#include "config/options/server_options.h"
#include "protocols/front_end.h"
#include "protocols/oip_http/codec/options.h"

namespace inferd::oip_http {

Options OptionsOf(const config::ServerOptions& options);

// Predict V2 over HTTP. It claims nothing: what no other protocol claims is its own, or not found.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::oip_http
