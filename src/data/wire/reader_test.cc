#include "data/wire/reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

namespace inferd::wire {
namespace {

using namespace std::string_literals;

// Skips a message of unknown fields. Returns "OK" or the error.
std::string Skipped(std::string_view message) {
  Reader in(message);
  while (in.Next() != 0) in.Skip();
  return in.status().ok() ? "OK" : in.status().message();
}

std::string At(int byte, std::string_view what) {
  return "the message is not valid protobuf: at byte " + std::to_string(byte) + ": " + std::string(what);
}

TEST(ReaderTest, ReadsEveryType) {
  const std::string message =
      "\x08\x96\x01"
      "\x11\x00\x00\x00\x00\x00\x00\xf0\x3f"
      "\x1a\x02hi"
      "\x25\x01\x02\x03\x04"s;
  Reader in(message);
  EXPECT_EQ(in.Next(), Tag(1, Type::kVarint));
  EXPECT_EQ(in.Varint(), 150u);
  EXPECT_EQ(in.Next(), Tag(2, Type::kFixed64));
  EXPECT_EQ(std::bit_cast<double>(in.Fixed64()), 1.0);
  EXPECT_EQ(in.Next(), Tag(3, Type::kBytes));
  EXPECT_EQ(in.String(), "hi");
  EXPECT_EQ(in.Next(), Tag(4, Type::kFixed32));
  EXPECT_EQ(in.Fixed32(), 0x04030201u);
  EXPECT_EQ(in.Next(), 0u);
  EXPECT_TRUE(in.status().ok());
}

TEST(ReaderTest, VarintsHaveAtMostTenBytesAndLoseWhatPasses64Bits) {
  const auto read = [](const std::string& value) {
    const std::string message = "\x08" + value;
    Reader in(message);
    EXPECT_EQ(in.Next(), Tag(1, Type::kVarint));
    const uint64_t varint = in.Varint();
    return in.ok() ? std::to_string(varint) : in.status().message();
  };
  EXPECT_EQ(read("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"s), "0");
  EXPECT_EQ(read("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "18446744073709551615");
  EXPECT_EQ(read("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), "18446744073709551615");
  EXPECT_EQ(read("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), At(11, "a number has too many bytes"));
  EXPECT_EQ(read("\xff\xff"), At(3, "it ends inside a number"));
}

TEST(ReaderTest, TagsAndLengthsHaveAtMostFiveBytes) {
  EXPECT_EQ(Skipped("\x88\x80\x80\x80\x00\x01"s), "OK");
  EXPECT_EQ(Skipped("\x88\x80\x80\x80\x80\x00\x01"s), At(5, "a number has too many bytes"));
  EXPECT_EQ(Skipped("\x0a\x80\x80\x80\x80\x00"s), "OK");
  EXPECT_EQ(Skipped("\x0a\x80\x80\x80\x80\x80\x00"s), At(6, "a number has too many bytes"));
}

TEST(ReaderTest, CutOffValuesAreMalformed) {
  EXPECT_EQ(Skipped("\x09\x01\x02\x03\x04\x05\x06\x07"), At(1, "it ends inside a number"));
  EXPECT_EQ(Skipped("\x0d\x01\x02\x03"), At(1, "it ends inside a number"));
  EXPECT_EQ(Skipped("\x0a\x03"
                    "ab"),
            At(2, "a field is longer than its message"));
  EXPECT_EQ(Skipped("\x0a\xff\xff\xff\xff\x7f"), At(6, "a field is longer than its message"));
}

TEST(ReaderTest, BadTagsAreMalformed) {
  EXPECT_EQ(Skipped("\x00"s), At(1, "a field has the number 0"));
  EXPECT_EQ(Skipped("\x02\x00"s), At(1, "a field has the number 0"));
  EXPECT_EQ(Skipped("\x0e"), At(1, "a field has an unknown type"));
  EXPECT_EQ(Skipped("\x0c"), At(1, "a group ends that did not begin"));
}

TEST(ReaderTest, GroupsAreSkippedWhole) {
  EXPECT_EQ(Skipped("\x0b\x10\x01\x0c"), "OK");
  EXPECT_EQ(Skipped("\x0b\x13\x14\x0c"), "OK");
  EXPECT_EQ(Skipped("\x0b\x13\x0c\x14"), At(3, "a group ends that did not begin"));
  EXPECT_EQ(Skipped("\x0b\x10\x01"), At(3, "it ends inside a number"));
  EXPECT_EQ(Skipped("\x0b\x00\x0c"s), At(2, "a field has the number 0"));
  EXPECT_EQ(Skipped(std::string(100, '\x0b') + std::string(100, '\x0c')), "OK");
  EXPECT_EQ(Skipped(std::string(101, '\x0b') + std::string(101, '\x0c')), At(101, "groups are nested too deeply"));
}

TEST(ReaderTest, StringsAreUtf8AndBytesNeedNotBe) {
  const std::string message = "\x0a\x02\xc3\xa9\x0a\x02\xff\xfe";
  Reader in(message);
  in.Next();
  EXPECT_EQ(in.String(), "\xc3\xa9");
  in.Next();
  Reader bytes = in;
  EXPECT_EQ(in.String(), "");
  EXPECT_EQ(in.status().message(), At(6, "a string is not UTF-8"));
  EXPECT_EQ(in.Next(), 0u);
  EXPECT_EQ(bytes.Bytes(), "\xff\xfe");
  EXPECT_TRUE(bytes.ok());
}

TEST(ReaderTest, MessagesInsideCountBytesFromTheOutermostAndAreLimitedInDepth) {
  std::string message;
  const int depth = kDepthMax + 1;
  for (int i = 0; i < depth; ++i) {
    std::string outer = "\x0a";
    for (size_t size = message.size();; size >>= 7) {
      outer += static_cast<char>(size >= 0x80 ? size | 0x80 : size);
      if (size < 0x80) break;
    }
    message = outer + message;
  }
  Reader in(message);
  for (int i = 0; i < kDepthMax; ++i) {
    EXPECT_EQ(in.Next(), Tag(1, Type::kBytes));
    in = in.Message();
    EXPECT_TRUE(in.ok()) << i;
  }
  EXPECT_EQ(in.Next(), Tag(1, Type::kBytes));
  in = in.Message();
  EXPECT_EQ(in.status().message(), At(static_cast<int>(message.size()), "messages are nested too deeply"));
}

TEST(ReaderTest, BytesAtNeedsNoEnd) {
  Reader in("\x08\x01\x12\xff\x7f");
  in.Next();
  in.Skip();
  EXPECT_EQ(in.Next(), Tag(2, Type::kBytes));
  EXPECT_EQ(in.BytesAt(), 5u);
  EXPECT_TRUE(in.ok());
}

TEST(ReaderTest, ABeginningIsReadAsFarAsItIsThere) {
  const std::string_view message = "\x0a\x09\x08\x01\x12\x05hello";
  Reader whole(message);
  whole.Next();
  Reader inner = whole.Beginning();
  EXPECT_EQ(inner.rest().size(), 9u);
  EXPECT_EQ(whole.Next(), 0u);
  Reader cut(message.substr(0, 8));
  cut.Next();
  Reader beginning = cut.Beginning();
  EXPECT_EQ(beginning.Next(), Tag(1, Type::kVarint));
  EXPECT_EQ(beginning.Varint(), 1u);
  EXPECT_EQ(beginning.Next(), Tag(2, Type::kBytes));
  EXPECT_EQ(beginning.BytesAt(), 6u);
  EXPECT_TRUE(beginning.ok());
  EXPECT_EQ(cut.Next(), 0u);
  EXPECT_TRUE(cut.ok());
}

}  // namespace
}  // namespace inferd::wire
