#include "engines/torch/function/forward_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace inferd::torchscript {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

MethodSchema Arguments(std::vector<MethodArgument> arguments) { return {.arguments = std::move(arguments)}; }

const MethodSchema kTwo = Arguments({{.name = "a", .type = "Tensor"}, {.name = "b", .type = "Tensor"}});
const MethodSchema kOptional = Arguments({{.name = "a"}, {.name = "b", .optional = true}});

TEST(BindInputsTest, ByNameByNumberOrInOrder) {
  EXPECT_THAT(*BindInputs({"b", "a"}, kTwo), ElementsAre(1, 0));
  EXPECT_THAT(*BindInputs({"INPUT__1", "INPUT__0"}, kTwo), ElementsAre(1, 0));
  EXPECT_THAT(*BindInputs({"INPUT__1", "a"}, kTwo), ElementsAre(1, 0));
  EXPECT_THAT(*BindInputs({"rows", "a"}, kTwo), ElementsAre(0, 1));
  EXPECT_THAT(*BindInputs({"INPUT__x", "INPUT__"}, kTwo), ElementsAre(0, 1));
  EXPECT_THAT(*BindInputs({"a"}, kOptional), ElementsAre(0));
  EXPECT_THAT(*BindInputs({"x", "y", "z"}, {.arguments = {{.name = "inputs"}}, .takes_dict = true}),
              ElementsAre(0, 0, 0));
}

TEST(BindInputsTest, WhatDoesNotFitIsNamed) {
  const auto error = [](const std::vector<std::string>& names, const MethodSchema& schema) {
    const auto bound = BindInputs(names, schema);
    return bound.has_value() ? "bound" : bound.error().message();
  };
  EXPECT_THAT(error({"a"}, kTwo), HasSubstr("argument 'b' of the model's method has no default"));
  EXPECT_THAT(error({"b"}, kOptional), HasSubstr("argument 'a'"));
  EXPECT_THAT(error({"INPUT__0", "INPUT__2"}, kTwo), HasSubstr("'INPUT__2' is no argument"));
  EXPECT_THAT(error({"a", "INPUT__0"}, kTwo), HasSubstr("inputs 'a' and 'INPUT__0' are the same argument"));
  EXPECT_THAT(error({"x", "y", "z"}, kTwo), HasSubstr("(a: Tensor, b: Tensor)"));
  EXPECT_THAT(error({"INPUT__18446744073709551615"}, kTwo), HasSubstr("is no argument"));
  EXPECT_THAT(error({"INPUT__99999999999999999999"}, kTwo), HasSubstr("has no default")) << "no number, so in order";
}

std::vector<size_t> Positions(const std::vector<std::string>& names, const MethodSchema& schema) {
  std::vector<size_t> positions;
  const auto places = BindOutputs(names, schema);
  for (const ResultPlace& place : *places) positions.push_back(place.position);
  return positions;
}

TEST(BindOutputsTest, ByFieldByKeyByNumberOrInOrder) {
  EXPECT_THAT(Positions({"x", "y"}, {.result_count = 2}), ElementsAre(0, 1));
  EXPECT_THAT(Positions({"OUTPUT__1"}, {.result_count = 2}), ElementsAre(1));
  EXPECT_THAT(Positions({"OUTPUT__1", "y"}, {.result_count = 2}), ElementsAre(0, 1));
  EXPECT_THAT(Positions({"second"}, {.result_count = 2, .result_names = {"first", "second"}}), ElementsAre(1));
  EXPECT_THAT(Positions({"y", "x"}, {}), ElementsAre(0, 1)) << "only the answer tells how many there are";
  const auto places = BindOutputs({"sum"}, {.gives_dict = true});
  EXPECT_EQ(places->at(0).key, "sum");
}

TEST(BindOutputsTest, APartThatTheAnswerDoesNotHaveIsNamed) {
  EXPECT_THAT(BindOutputs({"x", "y"}, {.result_count = 1}).error().message(), HasSubstr("'y' is no part"));
  EXPECT_THAT(BindOutputs({"OUTPUT__7"}, {.result_count = 2}).error().message(), HasSubstr("'OUTPUT__7'"));
}

}  // namespace
}  // namespace inferd::torchscript
