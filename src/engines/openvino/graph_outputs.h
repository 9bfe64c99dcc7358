#pragma once

#include <memory>
#include <openvino/core/model.hpp>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// The part of a graph that computes the outputs which the configuration declares, by the names of operators or
// "operator:output", in its order; the whole graph where it declares none. INVALID_ARGUMENT: there is no such operator.
base::Result<std::shared_ptr<ov::Model>> SelectOutputs(std::shared_ptr<ov::Model> graph,
                                                       const inferd_signature& declared);

}  // namespace inferd::openvino
