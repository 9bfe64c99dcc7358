#pragma once

#include <memory>

#include "config/options/server_options.h"
#include "protocols/front_end.h"
#include "protocols/oip_http/codec/options.h"

namespace inferd::oip_http {

Options OptionsOf(const config::ServerOptions& options);

// Returns Predict V2 over HTTP. It claims nothing: it gets the requests that no other protocol claims, or answers not
// found.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::oip_http
