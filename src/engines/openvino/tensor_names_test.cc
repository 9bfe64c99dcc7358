#include "engines/openvino/tensor_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::openvino {
namespace {

using ::testing::ElementsAre;

TEST(TensorNamesTest, TensorsGoByTheirOwnNames) {
  const TensorNames names = ChooseNames({{{"x"}, "Parameter_1"}}, {{{"y"}, "add"}}, false);
  EXPECT_THAT(names.inputs, ElementsAre("x"));
  EXPECT_THAT(names.outputs, ElementsAre("y"));
}

TEST(TensorNamesTest, WithoutOneByTheirOperators) {
  const TensorNames names = ChooseNames({{{}, "x"}}, {{{}, "add"}}, false);
  EXPECT_THAT(names.inputs, ElementsAre("x"));
  EXPECT_THAT(names.outputs, ElementsAre("add"));
}

TEST(TensorNamesTest, AnOutputThatIsAnInputHasAnotherName) {
  const TensorNames names = ChooseNames({{{"a", "x"}, "x"}}, {{{"a", "x"}, "x"}}, false);
  EXPECT_THAT(names.inputs, ElementsAre("x"));
  EXPECT_THAT(names.outputs, ElementsAre("a"));
  EXPECT_THAT(ChooseNames({{{"x"}, "x"}}, {{{"x"}, "x"}}, false).outputs, ElementsAre("x"));
}

TEST(TensorNamesTest, AnOperatorOfTheNameOfAnotherTensorDoesNotCount) {
  EXPECT_THAT(ChooseNames({{{"x"}, "x_1"}, {{"x_1"}, "x"}}, {}, false).inputs, ElementsAre("x", "x_1"));
}

TEST(TensorNamesTest, OfAGraphAreThoseOfOperators) {
  const TensorNames names = ChooseNames({{{"x:0"}, "x:0"}, {{"s:1"}, "s:1"}}, {{{"y:0"}, "y"}}, true);
  EXPECT_THAT(names.inputs, ElementsAre("x", "s:1"));
  EXPECT_THAT(names.outputs, ElementsAre("y"));
  EXPECT_THAT(ChooseNames({{{"x:0"}, "x:0"}}, {}, false).inputs, ElementsAre("x:0"));
  EXPECT_THAT(ChooseNames({{{"x:0"}, "x:0"}, {{"x"}, "x"}}, {}, true).inputs, ElementsAre("x:0", "x"));
}

TEST(TensorNamesTest, NamesOfASignatureGoFirst) {
  std::vector<std::string> chosen = {"t", "u:0", "w"};
  UseSignatureNames({{{"t"}, "op"}, {{"u", "v"}, "op2"}, {{"w"}, "op3"}}, {{"t", "x"}, {"v:0", "y"}, {"w", "x"}},
                    &chosen);
  EXPECT_THAT(chosen, ElementsAre("x", "y", "w")) << "a name is given once";
}

}  // namespace
}  // namespace inferd::openvino
