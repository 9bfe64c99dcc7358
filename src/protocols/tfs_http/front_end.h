#pragma once

#include <memory>

#include "config/options/server_options.h"
#include "protocols/front_end.h"
#include "protocols/tfs_http/codec/options.h"

namespace inferd::tfs_http {

Options OptionsOf(const config::ServerOptions& options);

// Returns TensorFlow Serving's REST API. It claims the paths of IsOurs().
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::tfs_http
