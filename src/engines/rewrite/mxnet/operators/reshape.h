#pragma once

#include "engines/rewrite/mxnet/graph/step.h"

namespace inferd::mxnet {

// Writes MXNet's Reshape with its codes: 0 keeps a dimension, -1 is the rest, -2 keeps all remaining dimensions, -3
// joins two, and -4 splits one into the two sizes that follow.
void WriteReshape(Step& step);

}  // namespace inferd::mxnet
