#pragma once

#include <memory>

#include "config/options/server_options.h"
#include "protocols/front_end.h"
#include "protocols/kserve_v1/codec/options.h"

namespace inferd::kserve_v1 {

Options OptionsOf(const config::ServerOptions& options);

// KServe's V1 data plane. Of the paths that TensorFlow Serving's REST has too, it claims those of models whose
// configuration says so, and of the others what the options say: it stands before that front-end.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::kserve_v1
