#include "engines/rewrite/mxnet/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "engines/rewrite/mxnet/graph/mxnet_fixture.h"

namespace inferd::mxnet {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<Input> kInput = {{.name = "x", .element = Element::kFloat, .shape = {-1, 3, 4, 5}}};

// Returns a net of one node, y, with `inputs` inputs: x first, then the parameter w of shape [3]. `attributes` is the
// inside of an object, with single quotes.
std::string NodeOf(const std::string& op, size_t inputs, std::string attributes) {
  std::ranges::replace(attributes, '\'', '"');
  std::string read;
  for (size_t i = 0; i < inputs; ++i) read += i == 0 ? "[0,0,0]" : ",[1,0,0]";
  return R"({"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "null", "name": "w", "inputs": []},
             {"op": ")" +
         op + R"(", "name": "y", "inputs": [)" + read + R"(], "attrs": {)" + attributes +
         R"(}}], "heads": [[2, 0, 0]]})";
}

std::string Refusal(const std::string& symbol, const std::vector<Input>& inputs = kInput) {
  const std::string params = ListOf({{"arg:w", ArrayOf({3})}});
  const auto model = Rewrite({"model-symbol.json", symbol}, {"model-0000.params", params}, inputs);
  return model.has_value() ? "" : model.error().message();
}

TEST(Rewrite, WhatCannotBeTheSameIsRefusedWithTheNodesName) {
  struct Case {
    std::string op;
    size_t inputs;
    std::string attributes;
    std::string error;
  };
  const std::vector<Case> cases = {
      {"Mystery", 1, "", "model-symbol.json: node 'y', Mystery: operators of this name are not supported"},
      {"relu", 1, "'shift': '3'", "model-symbol.json: node 'y', relu: argument 'shift' is not known"},
      {"relu", 2, "", "it has 2 inputs"},
      {"Convolution", 2, "'no_bias': 'True'", "its kernel has not one, two or three dimensions"},
      {"Convolution", 2, "'no_bias': 'True', 'kernel': '(0,0)'", "kernel 0 cannot be"},
      {"Convolution", 2, "'no_bias': 'True', 'kernel': '(3,3)', 'stride': '(1,)'", "'stride' and 'kernel' have"},
      {"Convolution", 2, "'no_bias': 'True', 'kernel': '(3,3)', 'pad': '(-1,0)'", "pad -1 cannot be"},
      {"Convolution", 2, "'no_bias': 'True', 'kernel': '(3,3)', 'layout': 'NHWC'", "layout NHWC"},
      {"Convolution", 2, "'no_bias': 'True', 'kernel': '(3,3)', 'num_group': '0'", "num_group 0 cannot be"},
      {"Convolution", 2, "'kernel': '(3,3)'", "it has 2 inputs"},
      {"Deconvolution", 2, "'kernel': '(3,3)', 'target_shape': '(8,8)'", "'target_shape' is not supported"},
      {"Pooling", 1, "'kernel': '(2,2)', 'pool_type': 'lp'", "pool_type lp"},
      {"Pooling", 1, "'global_pool': '1', 'pool_type': 'sum'", "pool_type sum"},
      {"Pooling", 1, "'kernel': '(2,2)', 'pooling_convention': 'same'", "pooling_convention same"},
      {"Pooling", 1, "'kernel': '(2,2)', 'stride': '(3,3)', 'pooling_convention': 'full'", "no more than the kernel"},
      {"UpSampling", 1, "'scale': '2', 'sample_type': 'bilinear'", "another sample_type"},
      {"UpSampling", 1, "'scale': '0', 'sample_type': 'nearest'", "scale 0"},
      {"_contrib_AdaptiveAvgPooling2D", 1, "'output_size': '(2, 2)'", "an output_size other than 1"},
      {"BatchNorm", 5, "'output_mean_var': 'True'", "'output_mean_var' is not supported"},
      {"BatchNorm", 5, "'axis': '4'", "axis 4 is none of its 4 dimensions"},
      {"BatchNorm", 3, "", "parameter 'y_moving_mean' is missing"},
      {"LRN", 1, "'nsize': '4'", "nsize 4 is not supported: it must be odd"},
      {"LRN", 1, "", "it has no argument 'nsize'"},
      {"L2Normalization", 1, "'mode': 'all'", "mode all"},
      {"Dropout", 1, "'mode': 'always'", "mode always"},
      {"dot", 2, "'forward_stype': 'csr'", "sparse storage"},
      {"batch_dot", 2, "", "its inputs have not three dimensions"},
      {"softmax", 1, "'use_length': 'True'", "'use_length' is not supported"},
      {"softmax", 1, "'dtype': 'float16'", "'dtype' is not supported"},
      {"SoftmaxActivation", 1, "'mode': 'all'", "mode all"},
      {"SoftmaxActivation", 1, "", "an input of other than two dimensions"},
      {"SoftmaxOutput", 1, "", "an input of other than two dimensions"},
      {"Activation", 1, "'act_type': 'mish'", "act_type 'mish' is not supported"},
      {"LeakyReLU", 1, "'act_type': 'other'", "act_type 'other' is not supported"},
      {"clip", 1, "'a_min': '0'", "it has no argument 'a_max'"},
      {"Cast", 1, "'dtype': 'complex'", "no datatype that is supported"},
      {"where", 3, "", "a condition for each row is not supported"},
      {"_plus_scalar", 1, "", "it has no argument 'scalar'"},
      {"_plus_scalar", 1, "'scalar': 'nan'", "which is no number"},
      {"Reshape", 1, "'shape': '(0,-5)'", "its shape has -5, which is not known"},
      {"Reshape", 1, "'shape': '(-1,-1)'", "-1 more than once"},
      {"Reshape", 1, "'shape': '(0,0,0,0,0)'", "more than its input's dimensions"},
      {"Reshape", 1, "'shape': '(-4,2)'", "its shape ends behind -4"},
      {"Reshape", 1, "'shape': '(-4,-1,-1,-2)'", "no two sizes behind -4"},
      {"Reshape", 1, "'shape': '(-4,1,3)', 'reverse': '1'", "-4 in a reverse shape"},
      {"Reshape", 1, "", "it has no argument 'shape'"},
      {"Reshape", 1, "'target_shape': '(0,3)'", "'target_shape' is not supported"},
      {"transpose", 1, "'axes': '(0,1)'", "its axes are not all of its input's"},
      {"Pad", 1, "'mode': 'wrap', 'pad_width': '(0,0,0,0,1,1,1,1)'", "mode 'wrap' is not supported"},
      {"Pad", 1, "'mode': 'edge', 'pad_width': '(1,1)'", "its pad_width is not two sizes"},
      {"tile", 1, "'reps': '(0,)'", "reps 0 is not supported"},
      {"broadcast_to", 1, "'shape': '(1,2)'", "its shape has not as many sizes"},
      {"broadcast_axis", 1, "'axis': '(1,)', 'size': '()'", "not as many sizes as axes"},
      {"slice", 1, "'begin': '(0,)', 'end': '(1,2)'", "its begin, end and step do not fit"},
      {"slice", 1, "'begin': '(0,)', 'end': '(1,)', 'step': '(0,)'", "a step of 0"},
      {"SliceChannel", 1, "'num_outputs': '0'", "so many outputs are not supported"},
      {"Crop", 2, "'center_crop': '1'", "'center_crop' is not supported"},
      {"Crop", 2, "'offset': '(-1,0)'", "its inputs have not four dimensions"},
      {"reverse", 1, "", "it has no argument 'axis'"},
      {"one_hot", 1, "'depth': '0'", "depth 0 cannot be"},
      {"one_hot", 1, "'depth': '3', 'dtype': 'int32'", "a dtype other than float32"},
      {"softmin", 1, "'temperature': '2'", "a temperature is not supported"},
      {"_linalg_gemm2", 2, "", "its inputs have not as many dimensions"},
      {"_split_v2", 1, "'indices': '(1,)'", "its indices do not begin with 0"},
      {"take", 2, "'mode': 'raise'", "mode 'raise' is not supported"},
      {"sum", 1, "'exclude': '1'", "'exclude' without an axis"},
      {"norm", 1, "'ord': '3'", "ord 3"},
      {"topk", 1, "'k': '0'", "k 0 is not supported"},
      {"topk", 1, "'ret_typ': 'mask'", "ret_typ 'mask' is not supported"},
      {"_zeros", 0, "'shape': '(0,0)'", "its shape is not known, or has more than 67108864 elements"},
      {"_zeros", 0, "'shape': '(99999999,99)'", "more than 67108864 elements"},
      {"_zeros", 0, "", "it has no shape"},
      {"RNN", 1, "", "operators of this name are not supported"},
  };
  for (const Case& each : cases) {
    const std::vector<Input> inputs = each.inputs == 0 ? std::vector<Input>{} : kInput;
    EXPECT_THAT(Refusal(NodeOf(each.op, each.inputs, each.attributes), inputs), HasSubstr(each.error)) << each.op;
  }
}

TEST(Rewrite, InputsMayHaveTooFewDimensions) {
  const std::vector<Input> row = {{.name = "x", .element = Element::kFloat, .shape = {3}}};
  const std::vector<Input> scalar = {{.name = "x", .element = Element::kFloat, .shape = {}}};
  EXPECT_THAT(Refusal(NodeOf("BatchNorm", 5, ""), row), HasSubstr("axis 1 is none of its 1 dimensions"));
  for (const std::string op : {"BatchNorm", "LayerNorm", "softmax", "SliceChannel", "L2Normalization", "dot",
                               "slice_axis", "SwapAxis", "argmax", "topk", "squeeze", "Concat", "batch_dot", "take"}) {
    const size_t inputs = op == "BatchNorm" ? 5 : op == "LayerNorm" ? 3 : op == "dot" || op == "take" ? 2 : 1;
    const std::string attributes = op == "slice_axis" || op == "argmax" || op == "squeeze" ? "'axis': '0'" : "";
    EXPECT_THAT(Refusal(NodeOf(op, inputs, attributes), scalar), HasSubstr("node 'y'")) << op;
  }
}

TEST(Rewrite, IntegersAreNotTakenForNumbersOfFloatingPoint) {
  const std::vector<Input> integers = {{.name = "x", .element = Element::kInt32, .shape = {-1, 3}}};
  EXPECT_THAT(Refusal(NodeOf("exp", 1, ""), integers), HasSubstr("its input is not of floating point"));
  EXPECT_THAT(Refusal(NodeOf("broadcast_add", 2, ""), integers), HasSubstr("its inputs are of different datatypes"));
  EXPECT_THAT(Refusal(NodeOf("_plus_scalar", 1, "'scalar': '0.5'"), integers), HasSubstr("is no value of its input's"));
  EXPECT_THAT(Refusal(NodeOf("_plus_scalar", 1, "'scalar': '1', 'is_int': 'False'"), integers),
              HasSubstr("a number of floating point and a tensor of integers"));
  EXPECT_THAT(Refusal(NodeOf("_plus_scalar", 1, "'scalar': '2'"), integers), IsEmpty());
}

// Returns a net of x, with these attributes, and its relu.
std::string ReluOf(const std::string& attributes) {
  return R"({"nodes": [{"op": "null", "name": "x", "attrs": {)" + attributes +
         R"(}}, {"op": "relu", "name": "y", "inputs": [[0, 0]]}], "heads": [[1, 0]]})";
}

TEST(Rewrite, InputsAreTheConfigurationsOrAreStatedByTheSymbol) {
  EXPECT_THAT(Refusal(ReluOf(""), kInput), IsEmpty());
  EXPECT_THAT(Refusal(ReluOf(""), {}),
              HasSubstr("model-symbol.json: input 'x' is no parameter, and the symbol does not state its shape: the "
                        "configuration must, as in input { name: \"x\" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }"));
  EXPECT_THAT(Refusal(ReluOf(""), {{.name = "other", .shape = {1}}, kInput[0]}),
              HasSubstr("an input 'other', which the symbol has not: its inputs are 'x'"));
  EXPECT_THAT(Refusal(ReluOf(R"-("__shape__": "(8, 3)")-"), {}), IsEmpty());
  EXPECT_THAT(Refusal(ReluOf(R"-("__shape__": "()")-"), {}), HasSubstr("does not state its shape"));
  EXPECT_THAT(Refusal(ReluOf(R"-("__shape__": "(8, 3)", "__dtype__": "99")-"), {}), HasSubstr("datatype"));
  EXPECT_THAT(Refusal(ReluOf(R"-("__shape__": "(8, 3)", "__dtype__": "4")-"), {}), HasSubstr("not of floating point"));
}

TEST(Rewrite, ALabelIsNoInput) {
  const std::string symbol =
      R"({"nodes": [{"op": "null", "name": "x"}, {"op": "null", "name": "label"}, {"op": "_copy", "name": "c", "inputs": [[1, 0]]},
          {"op": "SoftmaxOutput", "name": "y", "inputs": [[0, 0], [2, 0]], "attrs": {"preserve_shape": "True"}}], "heads": [[3, 0]]})";
  EXPECT_THAT(Refusal(symbol), IsEmpty());
  EXPECT_THAT(Refusal(symbol, {kInput[0], {.name = "label", .shape = {-1}}}), HasSubstr("an input 'label', which"));
}

TEST(Rewrite, NamesOfOutputsAreMxnets) {
  const auto model = [](const std::string& node, const std::string& heads) {
    const std::string symbol = R"({"nodes": [{"op": "null", "name": "x"}, {"name": "y", "inputs": [[0, 0]], )" + node +
                               R"(}], "heads": [)" + heads + "]}";
    return Rewrite({"s", symbol}, {"p", ListOf({})}, kInput);
  };
  EXPECT_THAT(*model(R"("op": "relu")", "[1, 0]"), HasSubstr("\x08y_output"));
  EXPECT_THAT(*model(R"("op": "SliceChannel", "attrs": {"num_outputs": "3"})", "[1, 2], [1, 0]"),
              HasSubstr("\x09y_output2"));
  EXPECT_THAT(*model(R"("op": "topk", "attrs": {"ret_typ": "value"})", "[1, 0]"), HasSubstr("\x09y_output0"));
  EXPECT_THAT(model(R"("op": "relu")", "[1, 1]").error().message(), HasSubstr("output 1 of node 'y' is not supported"));
  EXPECT_THAT(model(R"("op": "relu")", "[1, 0], [1, 0]").error().message(), HasSubstr("'y_output' is there twice"));
  EXPECT_THAT(model(R"("op": "relu")", "[0, 0]").error().message(), HasSubstr("output 'x' is an input, too"));
}

TEST(Rewrite, FilesThatAreMalformedAreNamed) {
  EXPECT_THAT(Rewrite({"a.json", "?"}, {"b", ""}, {}).error().message(), HasSubstr("a.json: JSON at byte 0"));
  EXPECT_THAT(Rewrite({"a.json", ReluOf("")}, {"b.params", "?"}, {}).error().message(), HasSubstr("b.params: at byte"));
}

TEST(Rewrite, ParametersAreLimitedAsAWhole) {
  const std::string symbol = NodeOf("broadcast_add", 2, "");
  const std::string params = ListOf({{"w", ArrayOf({1000})}});
  const auto with = [&](uint64_t bytes_max) { return Rewrite({"s", symbol}, {"p", params}, kInput, bytes_max); };
  EXPECT_TRUE(with(10000).has_value());
  ASSERT_FALSE(with(3000).has_value());
  EXPECT_EQ(with(3000).error().code(), base::StatusCode::kResourceExhausted);
  EXPECT_THAT(with(3000).error().message(), HasSubstr("parameter 'w' is more than fits into a model"));
}

// Returns the names in the first table of the page's section on operators.
std::set<std::string> DocumentedOperators() {
  std::ifstream page(INFERD_MXNET_PAGE);
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "## Operators") inside = true;
    if (!line.starts_with('|')) {
      if (!names.empty()) break;
      continue;
    }
    for (size_t begin = line.find('`'); inside && begin != std::string::npos; begin = line.find('`', begin)) {
      const size_t end = line.find('`', begin + 1);
      names.insert(line.substr(begin + 1, end - begin - 1));
      begin = end + 1;
    }
  }
  return names;
}

TEST(Rewrite, ThePageHasTheOperatorsThatAreKnown) {
  const auto known = KnownOperators();
  EXPECT_THAT(DocumentedOperators(), ElementsAreArray(known));
}

}  // namespace
}  // namespace inferd::mxnet
