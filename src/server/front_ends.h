#pragma once

#include "protocols/front_end.h"

namespace inferd::server {

// Every protocol that the server speaks, in the order in which they are asked whether a request is theirs. `settings`
// outlives them.
protocol::FrontEnds MakeFrontEnds(const protocol::Settings& settings);

}  // namespace inferd::server
