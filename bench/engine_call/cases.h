#pragma once

#include <onnxruntime_c_api.h>

#include <string>
#include <vector>

#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::bench {

// A model of the test repository, which is called with one row of zeros.
struct Case {
  std::string model;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  tensor::Shape shape;  // of each input
  tensor::DataType datatype;
  ONNXTensorElementDataType element_type;
};
const std::vector<Case>& Cases();

}  // namespace inferd::bench
