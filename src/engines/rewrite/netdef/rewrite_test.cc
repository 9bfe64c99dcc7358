#include "engines/rewrite/netdef/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "engines/rewrite/netdef/graph/netdef_fixture.h"

namespace inferd::netdef {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<NetInput> kInput = {{.name = "x", .element = Element::kFloat, .shape = {-1, 3}}};

std::string Refusal(const Texts& operators, const Texts& init = {}, const Texts& outputs = {"y"},
                    const std::vector<NetInput>& inputs = kInput) {
  const auto model =
      RewriteNets({"model.netdef", NetOf(operators, {"x"}, outputs)}, {"init_model.netdef", NetOf(init)}, inputs);
  return model.has_value() ? "" : model.error().message();
}

TEST(Rewrite, WhatCannotBeTheSameIsRefusedWithItsPlace) {
  struct Case {
    std::string op;
    std::string error;
  };
  const Texts x = {"x"};
  const Texts y = {"y"};
  const std::vector<Case> cases = {
      {Op("Mystery", x, y), "model.netdef: operator 0, Mystery, which makes 'y': operators of this type are not"},
      {Op("Relu", x, y, {IntArg("shift", 3)}), "model.netdef: operator 0, Relu, which makes 'y': argument 'shift' is"},
      {Op("Relu", {"z"}, y), "blob 'z' is made by nothing before it"},
      {Op("Relu", {}, y), "it has 0 inputs"},
      {Op("Relu", x, {}), "operator 0, Relu: it has 0 outputs"},
      {Op("Relu", x, {"y", "z"}), "it has 2 outputs"},
      {Op("Relu", x, y, {TextArg("order", "NHWC")}), "order NHWC is not supported: only NCHW is"},
      {Op("Conv", {"x", "x"}, y), "it has no kernel"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 3), TextArg("order", "NHWC")}), "order NHWC"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 0)}), "kernel 0 cannot be"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 3), IntArg("pad", -1)}), "pad -1 cannot be"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 3), IntArg("kernel_h", 3)}), "'kernel' is given in several forms"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel_h", 3)}), "'kernel_h' and 'kernel_w' go together"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 3), IntArg("pad_t", 1)}), "'pad_r' go together"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 3), IntsArg("strides", {1})}), "stride and kernel have different"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 3), IntArg("kernel", 3)}), "argument 'kernel' is there twice"},
      {Op("Conv", {"x", "x"}, y, {FloatArg("kernel", 3)}), "argument 'kernel' is no integer"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 3), IntArg("legacy_pad", 2)}), "legacy_pad 2 is not supported"},
      {Op("Conv", {"x", "x"}, y, {IntArg("kernel", 3), IntArg("group", 0)}), "group 0 cannot be"},
      {Op("MaxPool", x, y, {IntArg("kernel", 3), IntArg("pad", 1), IntArg("legacy_pad", 3)}), "CAFFE_LEGACY_POOLING"},
      {Op("MaxPool", x, y, {IntArg("kernel", 2), IntArg("stride", 3), IntArg("legacy_pad", 3)}), "stride <= kernel"},
      {Op("MaxPool", x, y, {IntArg("kernel", 2), IntArg("dilation", 2)}), "dilation is not supported"},
      {Op("MaxPool", x, y, {IntArg("global_pooling", 1), IntArg("pad", 2)}), "global_pooling goes without pads"},
      {Op("Dropout", x, y), "training mode: is_test is not 1"},
      {Op("SpatialBN", {"x", "x", "x", "x", "x"}, y), "training mode"},
      {Op("LRN", x, y, {IntArg("size", 4)}), "size 4 is not supported"},
      {Op("FC", {"x", "x", "x"}, y, {IntArg("axis", 2)}), "an axis other than 1"},
      {Op("Add", {"x", "x"}, y, {IntArg("axis", 1)}), "an axis without broadcast"},
      {Op("Add", {"x", "x"}, y, {IntArg("broadcast", 1), IntArg("axis", 1)}), "axis 1 is not one that its inputs"},
      {Op("Add", {"x", "x"}, y, {TextArg("axis_str", "C")}), "argument 'axis_str' is not supported"},
      {Op("PRelu", {"x", "x"}, y), "how many dimensions its inputs have"},
      {Op("Pow", x, y), "it has no argument 'exponent'"},
      {Op("Split", {"x", "x"}, y), "sizes that are an input"},
      {Op("Split", x, y, {IntsArg("split", {1, 2})}), "it has not as many outputs as sizes"},
      {Op("Reshape", x, y), "it has no shape"},
      {Op("NCHW2NHWC", x, y), "not known to have four dimensions"},
      {Op("Squeeze", x, y), "it has no dims"},
      {Op("Squeeze", x, y, {IntsArg("dims", {-1})}), "dims below 0"},
      {Op("Slice", {"x", "x", "x"}, y), "bounds that are inputs"},
      {Op("Slice", x, y, {IntsArg("starts", {1})}), "starts and ends do not fit"},
      {Op("Cast", x, y, {IntArg("to", 4)}), "argument 'to' names no datatype"},
      {Op("TopK", x, {"y", "z"}), "no argument 'k' above 0"},
      {Op("TopK", x, {"y", "z", "v"}, {IntArg("k", 1)}), "a third output"},
      {Op("ConstantFill", x, y), "a shape that comes from inputs"},
      {Op("ConstantFill", {}, y, {IntArg("dtype", 4)}), "'dtype' names no datatype"},
      {Op("ConstantFill", {}, y, {IntsArg("shape", {-1})}), "a size below 0"},
      {Op("ConstantFill", {}, y, {IntsArg("shape", {INT64_MAX, INT64_MAX})}), "more than fits into a model"},
      {Op("ConstantFill", {}, y, {IntArg("dtype", 2), IntArg("value", INT64_MAX)}), "is not of its datatype"},
      {Op("GivenTensorFill", {}, y, {IntsArg("shape", {3}), FloatsArg("values", {1, 2})}),
       "its shape has 3 elements, but it has 2 values"},
      {Op("GivenTensorIntFill", {}, y, {IntsArg("shape", {1}), IntsArg("values", {int64_t{1} << 40})}),
       "is not of its datatype"},
      {Op("XavierFill", {}, y), "operators of this type are not supported"},
  };
  for (const Case& each : cases) EXPECT_THAT(Refusal({each.op}), HasSubstr(each.error));
}

TEST(Rewrite, InputsAreTheConfigurations) {
  const Texts relu = {Op("Relu", {"x"}, {"y"})};
  EXPECT_THAT(Refusal(relu), IsEmpty());
  EXPECT_THAT(Refusal(relu, {}, {"y"}, {}),
              HasSubstr("model.netdef: input 'x' is not filled by init_model.netdef, and a NetDef does not state "
                        "datatypes and shapes: the configuration must, as in input { name: \"x\" data_type: TYPE_FP32 "
                        "dims: [ 3, 224, 224 ] }"));
  EXPECT_THAT(Refusal(relu, {}, {"y"}, {{.name = "other", .shape = {1}}}),
              HasSubstr("an input 'other', which model.netdef has not: its inputs are 'x'"));
  const Texts fill = {Op("ConstantFill", {}, {"x"}, {IntsArg("shape", {2})})};
  EXPECT_THAT(Refusal(relu, fill, {"y"}, {}), IsEmpty());
  EXPECT_THAT(Refusal(relu, fill), IsEmpty()) << "the configuration goes before what is filled in";
}

TEST(Rewrite, OutputsAreTheNets) {
  const Texts relu = {Op("Relu", {"x"}, {"y"})};
  EXPECT_THAT(Refusal(relu, {}, {}), HasSubstr("model.netdef has no external output"));
  EXPECT_THAT(Refusal(relu, {}, {"z"}), HasSubstr("output 'z' is made by no operator"));
  EXPECT_THAT(Refusal(relu, {}, {"x"}), HasSubstr("output 'x' is an input, too"));
  EXPECT_THAT(Refusal(relu, {}, {"y", "y"}), IsEmpty());
}

TEST(Rewrite, FilesThatAreMalformedAreNamed) {
  const auto predict = RewriteNets({"model.netdef", "?"}, {"init_model.netdef", ""}, {});
  ASSERT_FALSE(predict.has_value());
  EXPECT_THAT(predict.error().message(), HasSubstr("model.netdef: "));
  const auto init = RewriteNets({"model.netdef", ""}, {"init_model.netdef", "?"}, {});
  ASSERT_FALSE(init.has_value());
  EXPECT_THAT(init.error().message(), HasSubstr("init_model.netdef: "));
}

TEST(Rewrite, ConstantsAreLimitedAsAWhole) {
  Texts fills;
  for (int i = 0; i < 3; ++i) {
    fills.push_back(Op("ConstantFill", {}, {"w" + std::to_string(i)}, {IntsArg("shape", {100})}));
  }
  const std::string net = NetOf({Op("Relu", {"x"}, {"y"})}, {"x"}, {"y"});
  const auto with = [&](uint64_t bytes_max) {
    return RewriteNets({"model.netdef", net}, {"init_model.netdef", NetOf(fills)}, kInput, bytes_max);
  };
  EXPECT_TRUE(with(2000).has_value());
  ASSERT_FALSE(with(1000).has_value());
  EXPECT_THAT(with(1000).error().message(), HasSubstr("operator 2, ConstantFill, which makes 'w2'"));
}

// Returns the names in the first table of the page's section on operators.
std::set<std::string> DocumentedOperators() {
  std::ifstream page(INFERD_CAFFE2_PAGE);
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
}  // namespace inferd::netdef
