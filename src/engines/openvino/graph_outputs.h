#pragma once

#include <memory>
#include <openvino/core/model.hpp>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// Returns the part of a graph that computes the configuration's outputs, in its order, by operator names or
// "operator:output". Returns the whole graph if it declares none. INVALID_ARGUMENT if there is no such operator.
base::Result<std::shared_ptr<ov::Model>> SelectOutputs(std::shared_ptr<ov::Model> graph,
                                                       const inferd_signature& declared);

}  // namespace inferd::openvino
