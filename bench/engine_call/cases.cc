#include "bench/engine_call/cases.h"

namespace inferd::bench {

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"simple",
       {"INPUT0", "INPUT1"},
       {"OUTPUT0", "OUTPUT1"},
       {1, 16},
       tensor::DataType::kInt32,
       ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
      {"mlp", {"x"}, {"y"}, {1, 784}, tensor::DataType::kFp32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
      {"identity_fp32",
       {"INPUT0"},
       {"OUTPUT0"},
       {1, 262144},
       tensor::DataType::kFp32,
       ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
      {"pool224", {"image"}, {"mean"}, {1, 3, 224, 224}, tensor::DataType::kFp32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
  };
  return cases;
}

}  // namespace inferd::bench
