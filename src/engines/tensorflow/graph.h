#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/tensorflow/session_settings.h"
#include "engines/tensorflow/signature_def.h"
#include "engines/tensorflow/tf.h"

namespace inferd::tensorflow {

// A graph, the session that runs it, and its parts that clients may call.
struct OpenedGraph {
  GraphOwner graph;
  SessionOwner session;                  // destroyed before the graph
  std::vector<SignatureDef> signatures;  // at least one; the first is for clients that choose none
  bool chosen = false;                   // the configuration names the first
  std::vector<SignatureDef> shown;       // TensorFlow's own, which nobody may call
  // True if operators may keep an input beyond the run (a queue, a dataset): then it must not be the request's memory.
  bool keeps_inputs = false;
  // True if operators rely on the ranks for which the graph was made, and crash the process otherwise: no request may
  // have another rank than its signature.
  bool holds_ranks = false;
};

// Opens a SavedModel: restores its variables and fills its tables. Errors are TensorFlow's; INVALID_ARGUMENT also if
// the signature cannot be chosen.
base::Result<OpenedGraph> OpenSavedModel(const std::filesystem::path& folder, const SessionSettings& settings,
                                         int compute_threads);

// Opens a frozen GraphDef. The configuration names its inputs and outputs: operators, or "operator:output".
base::Result<OpenedGraph> OpenFrozenGraph(const std::filesystem::path& file, const inferd_signature& declared,
                                          const SessionSettings& settings, int compute_threads);

// Returns the graph's type and shape of a tensor; `name` is kept as written. Errors are FindTensor()'s.
base::Result<TensorInfo> DescribeTensor(TF_Graph* graph, std::string_view name);

// Finds the tensor "operator:output" of a graph; without the number, output 0. INVALID_ARGUMENT if there is none.
base::Result<TF_Output> FindTensor(TF_Graph* graph, std::string_view tensor);

}  // namespace inferd::tensorflow
