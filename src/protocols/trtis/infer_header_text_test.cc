#include "protocols/trtis/infer_header_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "trtis/api.pb.h"

namespace inferd::trtis {
namespace {

nvidia::inferenceserver::InferRequestHeader MessageOf(const InferHeader& header) {
  nvidia::inferenceserver::InferRequestHeader message;
  message.set_batch_size(header.batch_size);
  for (const InferHeader::Input& input : header.inputs) {
    auto& to = *message.add_input();
    to.set_name(input.name);
    to.set_byte_size(input.byte_size);
  }
  for (const InferHeader::Output& output : header.outputs) {
    auto& to = *message.add_output();
    to.set_name(output.name);
    to.set_byte_size(output.byte_size);
    if (output.classes) to.mutable_cls()->set_count(*output.classes);
  }
  return message;
}

struct Quiet final : google::protobuf::io::ErrorCollector {
  void AddError(int, int, const std::string&) override {}
};

// Our result must equal that of protobuf's own parser.
void Compare(const std::string& text, bool good) {
  nvidia::inferenceserver::InferRequestHeader expected;
  google::protobuf::TextFormat::Parser parser;
  Quiet quiet;
  parser.RecordErrorsTo(&quiet);
  EXPECT_EQ(parser.ParseFromString(text, &expected), good) << text;
  const auto header = ReadInferHeaderText(text);
  ASSERT_EQ(header.has_value(), good) << text << (good ? header.error().message() : "");
  if (!good) return;
  EXPECT_EQ(MessageOf(*header).DebugString(), expected.DebugString()) << text;
}

TEST(InferHeaderTextTest, ReadsWhatClientsSend) {
  const auto header = ReadInferHeaderText(
      R"(batch_size: 3 input { name: "INPUT0" byte_size: 64 } input { name: "INPUT1" byte_size: 8 } )"
      R"(output { name: "OUTPUT0" byte_size: 32 } output { name: "OUTPUT1" byte_size: 4000 cls { count: 5 } })");
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->batch_size, 3u);
  ASSERT_EQ(header->inputs.size(), 2u);
  EXPECT_EQ(header->inputs[1].name, "INPUT1");
  EXPECT_EQ(header->inputs[1].byte_size, 8u);
  ASSERT_EQ(header->outputs.size(), 2u);
  EXPECT_FALSE(header->outputs[0].classes.has_value());
  EXPECT_EQ(header->outputs[1].byte_size, 4000u);
  EXPECT_EQ(header->outputs[1].classes, 5u);
}

TEST(InferHeaderTextTest, ReadsEveryFormThatProtobufReads) {
  for (const char* text : {
           "",
           " \t\v\f\r\n",
           "# nothing",
           "batch_size:1",
           "batch_size : 0x1F",
           "batch_size: 017",
           "batch_size: 0",
           "batch_size: 0 batch_size: 4",
           "batch_size: 1;input{}",
           "batch_size: 1,output{},",

           "input: { name: 'a' }",
           "input < name: \"a\" >",
           "input [ { name: 'a' }, < byte_size: 2 > ]",
           "input: []",
           "input [{}];output:[{},{}],",
           "input { name: 'a' 'b' \"c\" }",
           "input { name: 'a' # x\n 'b' }",
           "input { name: \"\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\'\\\"\" }",
           "input { name: '\\1\\12\\123\\1234' }",
           "input { name: '\\777' }",
           "input { name: '\\x1\\x1f\\x1fg' }",
           "input { name: '\\u00e4\\U0001F600' }",
           "input { name: '\\ud83d\\ude00' }",
           "input { name: '\\ud83d' }",
           "input { name: '\\ud83dx' }",
           "input { name: '' name: 'a' }",
           "input { byte_size: 18446744073709551615 }",
           "batch_size: 4294967295",
           "output { cls { } }",
           "output { cls: < count: 0 count: 3; > , }",
           "input { name: \"\xc3\xa4\" }",
       }) {
    Compare(text, true);
  }
}

TEST(InferHeaderTextTest, RefusesWhatProtobufRefuses) {
  for (const char* text : {
           "batch_size",
           "batch_size 1",
           "batch_size: ",
           "batch_size: -1",
           "batch_size: 1.0",
           "batch_size: 1e1",
           "batch_size: 1f",
           "batch_size: 1.",
           "batch_size: .5",
           "batch_size: 08",
           "batch_size: 1input{}",
           "batch_size: 0x1g",
           "batch_size: 0x",
           "batch_size: 0x1.",
           "batch_size: 4294967296",
           "batch_size: 0x100000000",
           "batch_size: 1 batch_size: 2",
           "batch_size: true",
           "batch_size: '1'",
           "batch_size: [1]",
           "batch_size: {}",
           "batch_size: 1;;",
           "batch_size: 1 ,,",
           "BATCH_SIZE: 1",
           "shape: 1",
           "1: 1",
           "[a.b]: 1",
           "input",
           "input {",
           "input }",
           "input { >",
           "input < }",
           "input [",
           "input [{}",
           "input [{},]",
           "input [,]",
           "input {{}}",
           "input { name: a }",
           "input { name 'a' }",
           "input { name: 'a }",
           "input { name: '\\' }",
           "input { name: '\\q' }",
           "input { name: '\\x' }",
           "input { name: '\\xg' }",
           "input { name: '\\u12' }",

           "input { name: ['a'] }",
           "input { name: 'a' name: 'b' }",
           "input { byte_size: 18446744073709551616 }",
           "input { byte_size: 1 byte_size: 1 }",
           "output { cls }",
           "output { cls {} cls {} }",
           "output { cls [{}] }",
           "input { input { input { } } }",
           "\xc3\xa4",
           "\x01",
           "}",
           ">",
           "@",
           "batch_size: 1 }",
       }) {
    Compare(text, false);
  }
}

// protobuf's own parser accepts this, but with a wrong meaning.
TEST(InferHeaderTextTest, ThereAreNoCodePointsBeyondUnicode) {
  EXPECT_FALSE(ReadInferHeaderText("input { name: '\\U00110000' }").has_value());
}

TEST(InferHeaderTextTest, SaysWhereItIsWrong) {
  EXPECT_EQ(ReadInferHeaderText("batch_size: 1 input [ {}; ]").error().message(), "expected ',' at byte 24");
  EXPECT_EQ(ReadInferHeaderText("batch_size: 5000000000").error().message(), "integer out of range at byte 21");
}

TEST(InferHeaderTextTest, ABombIsAnErrorAtItsFirstLevel) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "input {";
  EXPECT_FALSE(ReadInferHeaderText(text).has_value());
  text.assign(1'000'000, '[');
  EXPECT_FALSE(ReadInferHeaderText("input " + text).has_value());
}

}  // namespace
}  // namespace inferd::trtis
