#include "config/model/model_config_place.h"

#include <gtest/gtest.h>

#include "config/model/model_config_parser.h"

namespace inferd::config {
namespace {

class PlaceTest : public ::testing::Test {
 protected:
  explicit PlaceTest(std::string_view text =
                         "name: \"m\"\n"
                         "input [ { name: \"a\" dims: [ 1, 2 ] },\n"
                         "  { name: \"b\" } ]\n"
                         "inferd {\n"
                         "  concurrency { max: 1 }\n"
                         "}\n")
      : config_(ParseModelConfig(text, "c.pbtxt").value()), root_(config_.document->message()) {}

  const ModelConfig config_;
  const Place root_;
};

TEST_F(PlaceTest, AFieldIsWhereItWasWritten) {
  EXPECT_EQ(root_.At("name", "bad").ToString(), "c.pbtxt:1:1: name: bad");
  EXPECT_EQ(root_.In("input", 1).At("name", "bad").ToString(), "c.pbtxt:3:5: input[1].name: bad");
  EXPECT_EQ(root_.In("inferd").In("concurrency").At("max", "bad").ToString(),
            "c.pbtxt:5:17: inferd.concurrency.max: bad");
}

TEST_F(PlaceTest, AFieldThatWasNotWrittenIsWhereItsMessageBegins) {
  EXPECT_EQ(root_.In("input", 1).At("data_type", "missing").ToString(), "c.pbtxt:2:1: input[1].data_type: missing");
  EXPECT_EQ(root_.In("input", 0).Here("odd").ToString(), "c.pbtxt:2:1: input[0]: odd");
  EXPECT_EQ(root_.In("dynamic_batching").At("priority_levels", "none").ToString(),
            "c.pbtxt: dynamic_batching.priority_levels: none");
}

TEST_F(PlaceTest, AListInBracketsHasOnePlace) {
  EXPECT_EQ(root_.In("input", 0).At("dims", 1, "bad").ToString(), "c.pbtxt:2:21: input[0].dims[1]: bad");
}

TEST(PlaceOfJsonTest, ALoadCallHasFieldsButNoLines) {
  const ModelConfig config = ModelConfigFromJson(R"({"name":"m","input":[{"name":"a"}]})").value();
  const Place root(config.document->message());
  EXPECT_EQ(root.In("input", 0).At("dims", "bad").ToString(), "input[0].dims: bad");
}

}  // namespace
}  // namespace inferd::config
