#pragma once

#include <memory>

#include "config/options/server_options.h"
#include "protocols/front_end.h"
#include "protocols/kserve_v1/codec/options.h"

namespace inferd::kserve_v1 {

Options OptionsOf(const config::ServerOptions& options);

// Returns KServe's V1 data plane. Of the paths that TensorFlow Serving's REST API has too, it claims those of models
// whose configuration says so; the options decide on other models. It must precede that front-end in the list.
std::unique_ptr<const protocol::FrontEnd> MakeFrontEnd(const protocol::Settings& settings);

}  // namespace inferd::kserve_v1
