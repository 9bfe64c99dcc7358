#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "enginekit/tensor_signature.h"
#include "engines/tensorflow/graph.h"
#include "inferd/engine_abi.h"

namespace inferd::tensorflow {

// A tensor of the served signature, where the session feeds or fetches it.
struct GraphTensor {
  TF_Output output = {};
  TF_DataType type = TF_FLOAT;
  std::string name;
};

// A loaded SavedModel or frozen graph: one session, which all instances run on. Thread-safe.
class TfModel final {
 public:
  // NOT_FOUND: no model. INVALID_ARGUMENT: TensorFlow cannot read it, or it takes or gives what cannot be served.
  static base::Result<std::unique_ptr<TfModel>> Load(const inferd_host* host, const inferd_load& load);

  const inferd_host& host() const { return *host_; }
  TF_Session* session() const { return opened_.session.get(); }
  bool keeps_inputs() const { return opened_.keeps_inputs; }
  const std::vector<GraphTensor>& inputs() const { return inputs_; }
  const std::vector<GraphTensor>& outputs() const { return outputs_; }
  const inferd_signature* signature() const { return signature_.abi(); }

 private:
  TfModel(const inferd_host* host, OpenedGraph opened) : host_(host), opened_(std::move(opened)) {}

  base::Status Describe(const inferd_load& load, int compute_threads);
  base::Status AddTensor(const TensorInfo& info, std::vector<GraphTensor>* list);

  const inferd_host* host_;
  OpenedGraph opened_;
  std::vector<GraphTensor> inputs_;
  std::vector<GraphTensor> outputs_;
  enginekit::TensorSignature signature_;
};

}  // namespace inferd::tensorflow
