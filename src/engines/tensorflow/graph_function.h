#pragma once

#include "base/status.h"
#include "engines/tensorflow/tf_model.h"

namespace inferd::tensorflow {

// Returns the function of a graph call; its signature is not finished yet. NOT_FOUND, in TensorFlow's words, if the
// graph has no such tensor or operator. UNIMPLEMENTED if no protocol carries a tensor's elements.
base::Result<TfFunction> DescribeCall(TF_Graph* graph, const inferd_graph_call& call);

}  // namespace inferd::tensorflow
