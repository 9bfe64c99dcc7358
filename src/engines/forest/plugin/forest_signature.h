#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/forest/model/forest.h"
#include "engines/kit/tensor_signature.h"
#include "inferd/engine_abi.h"

namespace inferd::forest {

// The content of an output for each row.
enum class OutputKind : uint8_t {
  kPrediction,     // the result of the library's own predict()
  kMargin,         // the value before the objective's transform
  kLeaf,           // for each tree, the number of the leaf that the row reaches
  kContributions,  // SHAP values: how much each feature adds to each margin, and the bias
};

struct OutputPlan {
  std::string name;
  OutputKind kind = OutputKind::kPrediction;
  int32_t datatype = INFERD_TYPE_FP32;
  std::vector<int64_t> shape;  // -1 for the rows
  size_t row_size = 1;         // elements of a row
};

// The name of the input that carries a body with a table of features, and of the output that carries its response. A
// front-end passes a body there that does not fit the input.
inline constexpr const char* kTableInput = "v1_table";
inline constexpr const char* kTableOutput = "v1_table_response";

// The single input and the outputs of a forest: those of its format's convention, or the configuration's. A body with a
// table is an alternative to them: input 1, and the output after all others. Immutable except for moves.
class ForestSignature final {
 public:
  // INVALID_ARGUMENT if the configuration declares tensors that a forest does not have.
  static base::Result<ForestSignature> Create(const Forest& forest, const inferd_load& load, int compute_threads);

  const inferd_signature* abi() const { return abi_.abi(); }
  int32_t input_datatype() const { return input_datatype_; }  // FP32 or FP64
  const std::vector<OutputPlan>& outputs() const { return outputs_; }
  bool Has(OutputKind kind) const;

 private:
  // Returns true if requests may bring the features in any datatype of numbers: the forest rounds all to float32, and
  // no configuration declares the input.
  bool ConvertsNumbers(const Forest& forest) const;
  base::Status ReadInput(const inferd_load& load);
  base::Status ReadOutputs(const Forest& forest, const inferd_load& load);

  std::string input_name_ = "input-0";
  int32_t input_datatype_ = INFERD_TYPE_FP32;
  bool input_declared_ = false;
  std::vector<OutputPlan> outputs_;
  kit::TensorSignature abi_;
};

}  // namespace inferd::forest
