#include "config/checks/problems_fixture.h"

namespace inferd::config {
namespace {

class CheckBatchTensorsTest : public ProblemTest {};

// Triton's texts for batch_input and batch_output, and contradictions that it accepts.
TEST_P(CheckBatchTensorsTest, IsFound) { ExpectJustThat(); }

constexpr ProblemCase kInputs[] = {
    {"batch_input { target_name: \"t\" data_type: TYPE_FP32 source_input: [ \"a\", \"b\" ] }",
     "2: batch_input[0].source_input: batch input kind 'BATCH_ELEMENT_COUNT' expects 1 source input, got 2 for M"},
    {"batch_input { kind: BATCH_ITEM_SHAPE target_name: \"t\" data_type: TYPE_FP32 }",
     "2: batch_input[0].source_input: batch input kind 'BATCH_ITEM_SHAPE' expects 1 source input, got 0 for M"},
    {"batch_input { target_name: \"t\"\n data_type: TYPE_INT64 source_input: \"a\" }",
     "3: batch_input[0].data_type: batch input data type must be TYPE_INT32 or TYPE_FP32 for M"},
    {"batch_input { data_type: TYPE_INT32 source_input: \"a\" }",
     "2: batch_input[0]: batch input must specify 'target_name' for M"},
    {"input { name: \"a\" }\nbatch_input { target_name: \"t\" data_type: TYPE_INT32 source_input: \"x\" }",
     "3: batch_input[0].source_input[0]: unknown source input name 'x' for M"},
    {"input { name: \"a\" }\nbatch_input { target_name: \"a\" data_type: TYPE_INT32 source_input: \"a\" }",
     "3: batch_input[0].target_name[0]: batch input 'a' is also an input of clients for M"},
    {"batch_input { target_name: \"t\" target_name: \"t\" data_type: TYPE_INT32 source_input: \"a\" }",
     "2: batch_input[0].target_name[1]: target input name 't' can only be specified once for M"},
    {"max_batch_size: 0\nbatch_input { target_name: \"t\" data_type: TYPE_INT32 source_input: \"a\" }",
     "3: batch_input: batch_input needs a max_batch_size above 0 for M"},
    {"max_batch_size: 1 input { name: \"a\" }\n"
     "batch_input { target_name: [ \"t\", \"u\" ] data_type: TYPE_INT32 source_input: \"a\" }",
     nullptr},
};
constexpr ProblemCase kOutputs[] = {
    {"batch_output { target_name: \"o\" }",
     "2: batch_output[0].source_input: batch output kind 'BATCH_SCATTER_WITH_INPUT_SHAPE' expects 1 source input, got "
     "0 "
     "for M"},
    {"batch_output { source_input: \"a\" }", "2: batch_output[0]: batch output must specify 'target_name' for M"},
    {"output { name: \"o\" } batch_output { target_name: \"x\" source_input: \"a\" }",
     "2: batch_output[0].target_name[0]: unknown target output name 'x' for M"},
    {"batch_output { target_name: \"o\" source_input: \"a\" }\n"
     "batch_output { target_name: \"o\" source_input: \"a\" }",
     "3: batch_output[1].target_name[0]: target output name 'o' can only be specified once for M"},
    {"max_batch_size: 0 batch_output { target_name: \"o\" source_input: \"a\" }",
     "2: batch_output: batch_output needs a max_batch_size above 0 for M"},
    {"max_batch_size: 4 input { name: \"a\" } output { name: \"o\" }\n"
     "batch_output { target_name: \"o\" source_input: \"a\" }",
     nullptr},
};
INSTANTIATE_TEST_SUITE_P(Inputs, CheckBatchTensorsTest, ::testing::ValuesIn(kInputs));
INSTANTIATE_TEST_SUITE_P(Outputs, CheckBatchTensorsTest, ::testing::ValuesIn(kOutputs));

}  // namespace
}  // namespace inferd::config
