#pragma once

#include "base/status.h"
#include "engines/tensorflow/tf_model.h"

namespace inferd::tensorflow {

// The function of a graph call, but for what its signature is finished with. NOT_FOUND, in TensorFlow's words: the
// graph has no such tensor or operator. UNIMPLEMENTED: no protocol carries a tensor's elements.
base::Result<TfFunction> DescribeCall(TF_Graph* graph, const inferd_graph_call& call);

}  // namespace inferd::tensorflow
