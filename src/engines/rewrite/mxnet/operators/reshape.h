#pragma once

#include "engines/rewrite/mxnet/graph/step.h"

namespace inferd::mxnet {

// MXNet's Reshape, with its codes: 0 keeps a dimension, -1 is what is left, -2 keeps all that follow, -3 puts two
// together, and -4 makes two of one, whose sizes follow.
void WriteReshape(Step& step);

}  // namespace inferd::mxnet
