#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/tensorflow/session_settings.h"
#include "engines/tensorflow/signature_def.h"
#include "engines/tensorflow/tf.h"

namespace inferd::tensorflow {

// A graph, the session that runs it, and what of it clients may call.
struct OpenedGraph {
  GraphOwner graph;
  SessionOwner session;                  // goes before the graph
  std::vector<SignatureDef> signatures;  // at least one; first, the one of clients that choose none
  bool chosen = false;                   // the configuration names the first
  std::vector<SignatureDef> shown;       // TensorFlow's own, which nobody may call
  // Operators may keep an input beyond the run that brought it (a queue, a dataset): it must not be the request's
  // memory.
  bool keeps_inputs = false;
  // Operators take for granted that tensors have the ranks which the graph was made for, and end the process where they
  // have not: no request may bring another rank than its signature says.
  bool holds_ranks = false;
};

// A SavedModel: its variables are restored and its tables filled. Errors as TensorFlow's; INVALID_ARGUMENT also where
// the signature cannot be chosen.
base::Result<OpenedGraph> OpenSavedModel(const std::filesystem::path& folder, const SessionSettings& settings,
                                         int compute_threads);

// A frozen GraphDef, whose inputs and outputs the configuration names: operators, or "operator:output".
base::Result<OpenedGraph> OpenFrozenGraph(const std::filesystem::path& file, const inferd_signature& declared,
                                          const SessionSettings& settings, int compute_threads);

// What the graph says of a tensor of its own: its type and shape; `name` is as written. Errors are FindTensor's.
base::Result<TensorInfo> DescribeTensor(TF_Graph* graph, std::string_view name);

// The tensor "operator:output" of a graph; without the number, output 0. INVALID_ARGUMENT: there is none.
base::Result<TF_Output> FindTensor(TF_Graph* graph, std::string_view tensor);

}  // namespace inferd::tensorflow
