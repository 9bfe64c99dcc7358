#include "protocols/trtis/infer_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/wire/append.h"
#include "protocols/v2/parameters.h"

namespace inferd::trtis {
namespace {

using ::testing::HasSubstr;

base::Result<InferMessage> Read(const std::string& message) {
  return ReadInferMessage(base::BufferSlice(base::Buffer::CopyOf(message)));
}

// Returns an InferRequest whose header has `count` fields, each a tensor without a name.
std::string WithTensors(int field, size_t count) {
  std::string header;
  for (size_t i = 0; i < count; ++i) wire::AppendBytes(field, "", &header);
  std::string message;
  wire::AppendBytes(3, header, &message);
  return message;
}

TEST(ReadInferMessageTest, HasSoManyTensorsAtMost) {
  for (const int field : {2, 3}) {
    ASSERT_TRUE(Read(WithTensors(field, v2::kTensorsMax)).has_value());
    const auto read = Read(WithTensors(field, v2::kTensorsMax + 1));
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code(), base::StatusCode::kInvalidArgument);
    EXPECT_THAT(read.error().message(), HasSubstr("meta_data has too many tensors"));
  }
}

TEST(ReadInferMessageTest, HasSoManyRawInputsAtMost) {
  std::string message;
  for (size_t i = 0; i < v2::kTensorsMax; ++i) wire::AppendBytes(4, "ab", &message);
  const auto read = Read(message);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->raws.size(), v2::kTensorsMax);
  EXPECT_EQ(read->raws.back().view(), "ab");
  wire::AppendBytes(4, "", &message);
  ASSERT_FALSE(Read(message).has_value());
  EXPECT_THAT(Read(message).error().message(), HasSubstr("too many raw_input"));
}

TEST(ReadInferMessageTest, AVersionIsTextOrANumber) {
  std::string text;
  wire::AppendBytes(2, "007", &text);
  EXPECT_EQ(Read(text)->version, "7");
  std::string number;
  wire::AppendNumber(2, 7, &number);
  EXPECT_EQ(Read(number)->version, "7");
  std::string latest;
  wire::AppendNumber(2, -1, &latest);
  EXPECT_EQ(Read(latest)->version, "");
  std::string wrong;
  wire::AppendBytes(2, "new", &wrong);
  EXPECT_FALSE(Read(wrong).has_value());
}

}  // namespace
}  // namespace inferd::trtis
