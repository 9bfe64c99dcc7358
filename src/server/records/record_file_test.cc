#include "server/records/record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string ErrorOf(std::string_view file, size_t records_max = 10) {
  const auto records = SplitRecords(file, records_max);
  return records.has_value() ? "" : records.error().message();
}

// The bytes that TensorFlow writes for the record "abc".
constexpr std::string_view kAbc(
    "\x03\0\0\0\0\0\0\0\xb0\x99\x49\x0e"
    "abc"
    "\x6e\x57\xf1\x21",
    19);

TEST(RecordFileTest, RecordsStandOneBehindTheOther) {
  EXPECT_EQ(RecordOf("abc"), kAbc);
  EXPECT_THAT(SplitRecords("", 1).value(), IsEmpty());
  const std::string file = RecordOf("one") + RecordOf("") + RecordOf("three");
  EXPECT_THAT(SplitRecords(file, 3).value(), ElementsAre("one", "", "three"));
  EXPECT_EQ(ErrorOf(file, 2), "record 2 at byte 35 is more than the 2 there may be");
}

TEST(RecordFileTest, WhatIsBrokenIsNoRecord) {
  const std::string file = RecordOf("one");
  for (size_t size = 1; size < file.size(); ++size) {
    EXPECT_EQ(ErrorOf(file.substr(0, size)), "record 0 at byte 0 is cut off") << size;
  }
  for (size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_EQ(ErrorOf(damaged), "record 0 at byte 0 is damaged") << i;
  }
}

}  // namespace
}  // namespace inferd::server
