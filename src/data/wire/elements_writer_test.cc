#include "data/wire/elements_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "data/wire/elements_reader.h"

namespace inferd::wire {
namespace elements_writer_test {

using namespace std::string_literals;
using tensor::DataType;

constexpr uint32_t kNumber = 13;

std::string Written(DataType type, std::string_view data) {
  Writer out(16);
  WriteElements(out, kNumber, type, base::BufferSlice(base::Buffer::CopyOf(data)));
  std::string bytes;
  for (const base::BufferSlice& piece : out.Take()) bytes += piece.view();
  return bytes;
}

TEST(ElementsWriterTest, NumbersArePacked) {
  EXPECT_EQ(Written(DataType::kUint16, "\1\0\0\1"s), "\x6a\x03\x01\x80\x02");
  EXPECT_EQ(Written(DataType::kFp16, "\0\x3c"s), "\x6a\x02\x80\x78");
  EXPECT_EQ(Written(DataType::kFp32, "\0\0\x80\x3f"s), "\x6a\x04\0\0\x80\x3f"s);
  EXPECT_EQ(Written(DataType::kInt8, "\xff"), "\x6a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(ElementsWriterTest, AModelsTrueIsOne) { EXPECT_EQ(Written(DataType::kBool, "\0\2"s), "\x6a\x02\0\1"s); }

TEST(ElementsWriterTest, BytesStandOneByOne) {
  EXPECT_EQ(Written(DataType::kBytes, "\2\0\0\0ab\0\0\0\0"s), "\x6a\x02"s + "ab\x6a\0"s);
}

TEST(ElementsWriterTest, NothingHasNoField) {
  for (const DataType type : {DataType::kBool, DataType::kInt64, DataType::kFp64, DataType::kBytes}) {
    EXPECT_EQ(Written(type, ""), "");
  }
}

}  // namespace elements_writer_test
}  // namespace inferd::wire
