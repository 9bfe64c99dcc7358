#include "data/tensor/bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace inferd::tensor {
namespace {

using namespace std::string_view_literals;

std::string FaultOf(std::string_view packed, size_t count) {
  return CheckPacked(std::as_bytes(std::span(packed)), count).message();
}

std::vector<std::string_view> ElementsOf(std::string_view packed) {
  std::vector<std::string_view> elements;
  for (const std::string_view element : PackedElements(std::as_bytes(std::span(packed)))) elements.push_back(element);
  return elements;
}

TEST(BytesTest, AcceptsExactlyTheElements) {
  EXPECT_EQ(FaultOf("", 0), "");
  EXPECT_EQ(FaultOf("\0\0\0\0"sv, 1), "");
  EXPECT_EQ(FaultOf("\1\0\0\0a\2\0\0\0bc"sv, 2), "");
}

TEST(BytesTest, SaysExpectedAndGot) {
  EXPECT_EQ(FaultOf("", 1), "expected 1 BYTES element, got 0");
  EXPECT_EQ(FaultOf("\1\0\0\0a"sv, 3), "expected 3 BYTES elements, got 1");
  EXPECT_EQ(FaultOf("\1\0\0\0a\2\0\0"sv, 2), "BYTES element 1: expected a 4-byte length, got 3 bytes");
  EXPECT_EQ(FaultOf("\2\0\0\0a"sv, 1), "BYTES element 0: expected 2 bytes behind its length, got 1");
  EXPECT_EQ(FaultOf("\xFF\xFF\xFF\xFF"sv, 1), "BYTES element 0: expected 4294967295 bytes behind its length, got 0");
  EXPECT_EQ(FaultOf("\1\0\0\0ab"sv, 1), "expected 1 BYTES element in 5 bytes, got 6 bytes");
  EXPECT_EQ(FaultOf("\0"sv, 0), "expected 0 BYTES elements in 0 bytes, got 1 bytes");
}

TEST(BytesTest, CountsTheElements) {
  const auto count = [](std::string_view packed) { return CountPacked(std::as_bytes(std::span(packed))); };
  EXPECT_EQ(count(""), 0u);
  EXPECT_EQ(count("\1\0\0\0a\0\0\0\0\2\0\0\0bc"sv), 3u);
  EXPECT_EQ(count("\1\0\0\0a\2\0\0"sv).error().message(), "BYTES element 1: expected a 4-byte length, got 3 bytes");
  EXPECT_EQ(count("\2\0\0\0a"sv).error().code(), base::StatusCode::kInvalidArgument);
}

TEST(BytesTest, WalksTheElements) {
  EXPECT_THAT(ElementsOf(""), ::testing::IsEmpty());
  EXPECT_THAT(ElementsOf("\1\0\0\0a\0\0\0\0\3\0\0\0b\0c"sv), ::testing::ElementsAre("a", "", "b\0c"sv));
}

TEST(BytesTest, FindsWhereTheFirstElementsEnd) {
  const auto prefix = [](std::string_view packed, size_t count) {
    return PackedPrefix(base::BufferSlice(base::Buffer::CopyOf(packed)).bytes(), count);
  };
  EXPECT_EQ(prefix("", 0), 0u);
  EXPECT_EQ(prefix("\1\0\0\0a\0\0\0\0\2\0\0\0bc"sv, 0), 0u);
  EXPECT_EQ(prefix("\1\0\0\0a\0\0\0\0\2\0\0\0bc"sv, 2), 9u);
  EXPECT_EQ(prefix("\1\0\0\0a\0\0\0\0\2\0\0\0bc"sv, 3), 15u);
  EXPECT_EQ(prefix("\1\0\0\0a"sv, 2), std::nullopt);
  EXPECT_EQ(prefix("\1\0\0"sv, 1), std::nullopt);
  EXPECT_EQ(prefix("\2\0\0\0a"sv, 1), std::nullopt);
}

TEST(BytesTest, PacksWhatItWalks) {
  const std::vector<std::string> elements = {"", "a", std::string(1000, 'x'), std::string("\0", 1)};
  BytesPacker packer(3);
  for (const std::string& element : elements) EXPECT_TRUE(packer.Append(element).ok());
  EXPECT_EQ(packer.size(), 4 * kLengthSize + 1002);
  const base::BufferSlice packed(packer.Take());
  EXPECT_TRUE(CheckPacked(packed.bytes(), elements.size()).ok());
  EXPECT_THAT(ElementsOf(packed.view()), ::testing::ElementsAreArray(elements));
}

TEST(BytesTest, PacksNothing) {
  BytesPacker packer(0);
  EXPECT_EQ(packer.Take().size(), 0u);
}

TEST(BytesTest, RefusesElementsThatA32BitLengthCannotSay) {
  BytesPacker packer(0);
  const char byte = 'x';
  EXPECT_EQ(packer.Append(std::string_view(&byte, kBytesElementMax + 1)).code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::tensor
