#pragma once

#include "protocols/front_end.h"

namespace inferd::server {

// Creates a front-end for every protocol. They are asked in this order whether a request is theirs. `settings` must
// outlive them.
protocol::FrontEnds MakeFrontEnds(const protocol::Settings& settings);

}  // namespace inferd::server
