#include "engines/openvino/input_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::openvino {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Shapes = std::vector<ov::PartialShape>;

// Applies the settings to inputs x [?,3] and y [4].
base::Result<Shapes> Apply(std::string_view shape, std::string_view batch) {
  InputShapes shapes;
  if (!shape.empty()) INFERD_RETURN_IF_ERROR(shapes.ReadShape(shape));
  if (!batch.empty()) INFERD_RETURN_IF_ERROR(shapes.ReadBatchSize(batch));
  EXPECT_EQ(shapes.empty(), shape.empty() && (batch.empty() || batch == "0"));
  return shapes.Apply({"x", "y"}, {ov::PartialShape{-1, 3}, ov::PartialShape{4}});
}

TEST(InputShapesTest, ShapesAreThoseThatAreNamedAndTheBatchIsThatOfTheOthers) {
  EXPECT_EQ(*Apply("", ""), (Shapes{{-1, 3}, {4}}));
  EXPECT_EQ(*Apply("", "0"), (Shapes{{-1, 3}, {4}}));
  EXPECT_EQ(*Apply("", "8"), (Shapes{{8, 3}, {8}}));
  EXPECT_EQ(*Apply("", "auto"), (Shapes{{-1, 3}, {-1}}));
  EXPECT_EQ(*Apply("", "1:8"), (Shapes{{ov::Dimension(1, 8), 3}, {ov::Dimension(1, 8)}}));
  EXPECT_EQ(*Apply(R"~({"x": "(1, 3)"})~", "8"), (Shapes{{1, 3}, {8}}));
  EXPECT_EQ(*Apply(R"~({"x": "(2,5:6)", "y": "auto"})~", ""), (Shapes{{2, ov::Dimension(5, 6)}, {-1}}));
}

TEST(InputShapesTest, AShapeWithoutANameIsOfTheOneInput) {
  InputShapes shapes;
  ASSERT_TRUE(shapes.ReadShape("(1,-1)").ok());
  EXPECT_EQ(*shapes.Apply({"x"}, {ov::PartialShape{-1, 3}}), (Shapes{{1, -1}}));
  EXPECT_THAT(shapes.Apply({"x", "y"}, {{1}, {1}}).error().message(), HasSubstr("but this one has 2"));
  InputShapes any;
  ASSERT_TRUE(any.ReadShape("auto").ok());
  EXPECT_EQ(*any.Apply({"x"}, {ov::PartialShape{2, 3}}), (Shapes{{-1, -1}}));
  InputShapes scalar;
  ASSERT_TRUE(scalar.ReadShape("()").ok());
  EXPECT_EQ(*scalar.Apply({"x"}, {ov::PartialShape{}}), (Shapes{ov::PartialShape{}}));
}

TEST(InputShapesTest, WhatIsNoShapeIsRefused) {
  for (const char* text : {"1,2", "(1,x)", "(1,-2)", "(3:2)", "(:)", "(1,2", "(99999999999999)", "", R"~({"x": 1})~",
                           R"~({"x": "1"})~", R"~({"x")~"}) {
    InputShapes shapes;
    EXPECT_FALSE(shapes.ReadShape(text).ok()) << text;
  }
  for (const char* text : {"", "many", "-2", "8:1"}) {
    InputShapes shapes;
    EXPECT_FALSE(shapes.ReadBatchSize(text).ok()) << text;
  }
  std::string long_shape = "(1";
  for (int i = 0; i < 32; ++i) long_shape += ",1";
  InputShapes shapes;
  EXPECT_THAT(shapes.ReadShape(long_shape + ")").message(), HasSubstr("more than 32"));
  EXPECT_THAT(Apply(R"~({"z": "(1)"})~", "").error().message(), HasSubstr("no input 'z'"));
}

}  // namespace
}  // namespace inferd::openvino
