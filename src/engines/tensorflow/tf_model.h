#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/tensorflow/graph.h"
#include "inferd/engine_abi.h"

namespace inferd::tensorflow {

// The alignment of TensorFlow's own tensors: it copies inputs with a smaller one.
inline constexpr size_t kInputAlignment = 64;

// A tensor of a signature, at the point where the session feeds or fetches it.
struct GraphTensor {
  TF_Output output = {};
  TF_DataType type = TF_FLOAT;
  std::string name;
  TensorOwner default_value = nullptr;  // for an input: fed if the requests leave it out; null if there is none
  std::optional<size_t> rank = {};      // for an input that must have this rank (OpenedGraph::holds_ranks)
};

// One of a model's signatures.
struct TfFunction {
  std::vector<GraphTensor> inputs;
  std::vector<GraphTensor> outputs;
  std::vector<const TF_Operation*> targets;  // further operators that run
  kit::TensorSignature signature;
};

// A loaded SavedModel or frozen graph: one session, on which all instances run. Thread-safe.
class TfModel final {
 public:
  // NOT_FOUND if there is no model. INVALID_ARGUMENT if TensorFlow cannot read it, or if the configured signature, or
  // every signature, has tensors that cannot be served. Other such signatures are only shown, and logged. The first
  // signature is the first that can be served, by Predict V2 if possible.
  static base::Result<std::unique_ptr<TfModel>> Load(const inferd_host* host, const inferd_load& load);

  const inferd_host& host() const { return *host_; }
  TF_Session* session() const { return opened_.session.get(); }
  bool keeps_inputs() const { return opened_.keeps_inputs; }
  // `number` as in the ABI: 0 is the first.
  const TfFunction& function(size_t number) const;
  const inferd_signature* signature() const { return function(0).signature.abi(); }
  const inferd_signature* other_signature(size_t number) const;
  // Returns the number of a new signature. NOT_FOUND, in TensorFlow's words, if the graph has no such tensor or
  // operator. UNIMPLEMENTED if no protocol carries its elements.
  base::Result<size_t> OpenSignature(const inferd_graph_call& call);

 private:
  TfModel(const inferd_host* host, OpenedGraph opened) : host_(host), opened_(std::move(opened)) {}

  base::Status DescribeAll(const inferd_load& load, int compute_threads);
  void LogNotServed(const inferd_load& load, const std::string& signature, const base::Status& why) const;
  void LogBeyondPredictV2(const inferd_load& load, const std::string& signature, const TensorInfo& tensor) const;
  // `declared` is the configuration's description.
  base::Result<TfFunction> Describe(const SignatureDef& signature, const inferd_signature& declared,
                                    int compute_threads) const;
  base::Status AddTensor(const TensorInfo& info, std::vector<GraphTensor>* list) const;

  const inferd_host* host_;
  OpenedGraph opened_;
  int compute_threads_ = 1;
  bool batches_ = false;  // the configuration has a max_batch_size
  mutable base::Mutex mutex_;
  std::deque<TfFunction> functions_ GUARDED_BY(mutex_);  // elements keep their addresses and never change
};

}  // namespace inferd::tensorflow
