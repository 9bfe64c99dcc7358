#include "engines/tensorflow/missing_operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::tensorflow {
namespace {

using ::testing::StartsWith;

std::string MessageFor(const std::string& type) {
  return WithMissingOperator("Op type not registered '" + type + "' in binary running on host.");
}

TEST(MissingOperatorTest, ThePackageIsNamed) {
  EXPECT_EQ(
      MessageFor("WhitespaceTokenizeWithOffsetsV2"),
      "operator 'WhitespaceTokenizeWithOffsetsV2' comes with TensorFlow Text (tf_text), which is not part of this "
      "server; a library of such operators can be named in config.pbtxt, model_operations { op_library_filename "
      "}. TensorFlow says: Op type not registered 'WhitespaceTokenizeWithOffsetsV2' in binary running on host.");
  EXPECT_THAT(MessageFor("TFText>NgramsStringJoin"),
              StartsWith("operator 'TFText>NgramsStringJoin' comes with TensorF"));
  EXPECT_THAT(MessageFor("SentencepieceTokenizeOp"),
              StartsWith("operator 'SentencepieceTokenizeOp' comes with TensorF"));
  EXPECT_THAT(MessageFor("SimpleMLInferenceOpWithHandle"),
              StartsWith("operator 'SimpleMLInferenceOpWithHandle' comes with TensorFlow Decision Forests, "));
  EXPECT_THAT(MessageFor("MyOwn"), StartsWith("operator 'MyOwn' comes with a package other than TensorFlow, "));
}

TEST(MissingOperatorTest, OtherMessagesStay) {
  EXPECT_EQ(WithMissingOperator("no such file"), "no such file");
  EXPECT_THAT(WithMissingOperator("Op type not registered 'Cut"), StartsWith("operator 'Cut' comes with a package"));
}

}  // namespace
}  // namespace inferd::tensorflow
