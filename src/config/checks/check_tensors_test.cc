#include "config/checks/problems_fixture.h"

namespace inferd::config {
namespace {

class CheckTensorsTest : public ProblemTest {};

// Triton's texts for inputs and outputs without a name, type or dims, or with impossible ones.
TEST_P(CheckTensorsTest, IsFound) { ExpectJustThat(); }

constexpr ProblemCase kTensors[] = {
    {"input { data_type: TYPE_FP32 dims: 1 }", "2: input[0]: model input must specify 'name' for M"},
    {"output { data_type: TYPE_FP32 dims: 1 }", "2: output[0]: model output must specify 'name' for M"},
    {"input { name: \"a\" }\ninput {\n name: \"a\" }", "4: input[1].name: model input 'a' is specified twice for M"},
    {"input {\n name: \"a\"\n dims: [ 1, 0 ] }",
     "4: input[0].dims: model input 'a' dimension must be integer >= 1, or -1 to indicate a variable-size dimension "
     "for M, "
     "got 0"},
    {"output { name: \"a\" dims: -2 }",
     "2: output[0].dims: model output 'a' dimension must be integer >= 1, or -1 to indicate a variable-size dimension "
     "for "
     "M, got -2"},
    {"input { name: \"a\" dims: [1, 1] format: FORMAT_NHWC }",
     "2: input[0].format: model input NHWC/NCHW require 3 dims for M"},
    {"input { name: \"a\" dims: 1 is_shape_tensor: true }",
     "2: input[0].is_shape_tensor: shape tensors are only supported for TensorRT platform"},
    {"output { name: \"a\" dims: 1 is_non_linear_format_io: true }",
     "2: output[0].is_non_linear_format_io: Non-linear IO format is only supported for the TensorRT platform"},
};
constexpr ProblemCase kReshapes[] = {
    {"max_batch_size: 0 input { name: \"a\" dims: 1 reshape { } }",
     "2: input[0].reshape: model input 'a' cannot have empty reshape for non-batching model as scalar tensors are not "
     "supported for M"},
    {"max_batch_size: 1 input { name: \"a\" dims: 1 reshape { } }", nullptr},
    {"output { name: \"a\" dims: 1\n reshape { shape: 0 } }",
     "3: output[0].reshape: model output 'a' reshape dimensions must be integer >= 1, or -1 to indicate a "
     "variable-size "
     "dimension for M"},
    {"input { name: \"a\" dims: [ 2, 3 ] reshape { shape: [ 5 ] } }",
     "2: input[0].reshape: model input 'a' has different size for dims and reshape for M"},
    {"input { name: \"a\" dims: [ 2, 3 ] reshape { shape: [ -1 ] } }",
     "2: input[0].reshape: model input 'a' has different size for dims and reshape for M"},
    {"input { name: \"a\" dims: [ 2, 4, -1, 6 ] reshape { shape: [ 8, -1, 1, 6 ] } }", nullptr},
    {"input { name: \"a\" dims: [ 2, -1 ] reshape { shape: [ -1, 2 ] } }",
     "2: input[0].reshape: model input 'a' has different size for dims and reshape for M"},
    {"input { name: \"a\" dims: [ -1, -1 ] reshape { shape: [ -1 ] } }",
     "2: input[0].reshape: model input 'a' has different number of variable-size dimensions for dims and reshape for "
     "M"},
};
constexpr ProblemCase kRagged[] = {
    {"max_batch_size: 0 input { name: \"a\" dims: -1\n allow_ragged_batch: true }",
     "3: input[0].allow_ragged_batch: model input 'a' cannot be ragged: max_batch_size is 0 for M"},
    {"max_batch_size: 4 input { name: \"a\" dims: 4 allow_ragged_batch: true reshape { shape: [ 2, 2 ] } }",
     "2: input[0].reshape: model input 'a' cannot have both reshape and allow_ragged_batch for M"},
    {"max_batch_size: 4 input { name: \"a\" dims: -1 allow_ragged_batch: true }", nullptr},
};
INSTANTIATE_TEST_SUITE_P(Tensors, CheckTensorsTest, ::testing::ValuesIn(kTensors));
INSTANTIATE_TEST_SUITE_P(Reshapes, CheckTensorsTest, ::testing::ValuesIn(kReshapes));
INSTANTIATE_TEST_SUITE_P(Ragged, CheckTensorsTest, ::testing::ValuesIn(kRagged));

}  // namespace
}  // namespace inferd::config
