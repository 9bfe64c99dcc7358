#include "engines/rewrite/onnx/graph_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace inferd::onnx {
namespace {

using ::testing::HasSubstr;

TEST(GraphWriter, NamesAreGivenOnce) {
  GraphWriter out(17, 1000);
  out.Reserve("relu#2");
  EXPECT_EQ(out.NewName("relu"), "relu#1");
  EXPECT_EQ(out.NewName("relu"), "relu#3") << "the second is reserved";
  EXPECT_EQ(out.Node("relu", {"x"}), "relu#4");
}

TEST(GraphWriter, WritesNodesAndConstantsWithTheOpset) {
  GraphWriter out(17, 1000);
  const uint64_t before = out.bytes_left();
  const std::string number = out.Scalar(1.5F);
  EXPECT_LT(out.bytes_left(), before);
  out.Output("y", out.Node("Add", {"x", number}, Attributes().Text("mode", "edge")));
  const std::string model = out.writer().Take("graph");
  // Fields, with their numbers and sizes: an input, an output and the type of a node; a text; an opset.
  EXPECT_THAT(model, HasSubstr("\x0a\x01x\x0a\x08number#1\x12\x05"
                               "Add#1\x22\x03"
                               "Add"));
  EXPECT_THAT(model, HasSubstr("\x0a\x04mode\xa0\x01\x03\x22\x04"
                               "edge"));
  EXPECT_THAT(model, HasSubstr(std::string("\x10\x11", 2)));
}

TEST(GraphWriter, NothingIsLeftBeyondTheLimit) {
  GraphWriter out(17, 10);
  out.Scalar(1);
  EXPECT_EQ(out.bytes_left(), 0);
}

}  // namespace
}  // namespace inferd::onnx
