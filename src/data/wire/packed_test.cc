#include "data/wire/packed.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace inferd::wire {
namespace {

std::vector<uint64_t> Values(std::string_view packed, bool whole = true) {
  std::vector<uint64_t> values;
  EXPECT_EQ(ForEachVarint(packed, [&values](uint64_t value) { values.push_back(value); }), whole);
  return values;
}

std::string Packed(const std::vector<uint64_t>& values) {
  std::string packed;
  for (const uint64_t value : values) {
    std::byte bytes[kVarintMax];
    const std::byte* end = PutVarint(bytes, value);
    EXPECT_EQ(static_cast<size_t>(end - bytes), VarintSize(value));
    packed.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
  }
  return packed;
}

TEST(PackedTest, VarintsOfEverySizeComeBack) {
  std::vector<uint64_t> values = {0, 1, ~uint64_t{0}};
  for (int bit = 0; bit < 64; ++bit) {
    values.push_back(uint64_t{1} << bit);
    values.push_back((uint64_t{1} << bit) - 1);
    // Runs of short varints, which are read eight at a time.
    for (int i = 0; i < bit % 20; ++i) values.push_back(static_cast<uint64_t>(i));
  }
  const std::string packed = Packed(values);
  EXPECT_EQ(CountVarints(packed), values.size());
  EXPECT_EQ(Values(packed), values);
  EXPECT_TRUE(Values("").empty());
}

TEST(PackedTest, ACutOffOrOverlongVarintIsNotWhole) {
  EXPECT_EQ(Values("\x01\x80", false), (std::vector<uint64_t>{1}));
  EXPECT_EQ(Values(std::string(10, '\xff') + "\x01", false), (std::vector<uint64_t>{}));
  EXPECT_EQ(Values(std::string(9, '\xff') + "\x7f"), (std::vector<uint64_t>{~uint64_t{0}}));
}

}  // namespace
}  // namespace inferd::wire
