#include "storage/source/content_range.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::storage {
namespace {

std::string Shown(std::string_view text) {
  const auto range = ParseContentRange(text);
  if (!range.has_value()) return "none";
  return std::to_string(range->begin) + " " + std::to_string(range->end) + " " +
         (range->size.has_value() ? std::to_string(*range->size) : "*");
}

TEST(ContentRangeTest, ARangeIsReadWhole) {
  EXPECT_EQ(Shown("bytes 0-0/1"), "0 1 1");
  EXPECT_EQ(Shown("bytes 10-499/1234"), "10 500 1234");
  EXPECT_EQ(Shown("Bytes 0-1/*"), "0 2 *");
  EXPECT_EQ(Shown("bytes 18446744073709551613-18446744073709551614/18446744073709551615"),
            "18446744073709551613 18446744073709551615 18446744073709551615");
}

TEST(ContentRangeTest, WhatIsNoneOrContradictsItselfIsRefused) {
  for (const std::string_view text : {"",
                                      "bytes",
                                      "bytes ",
                                      "bytes 0-",
                                      "bytes 0-0",
                                      "bytes 0-0/",
                                      "bytes -1/2",
                                      "bytes 0-/2",
                                      "bytes 1-0/2",
                                      "bytes 0-2/2",
                                      "bytes 0-1/2 ",
                                      "bytes 0-1/2,",
                                      "bytes  0-1/2",
                                      "bytes 0 -1/2",
                                      "bytes +0-1/2",
                                      "bytes 0-1/-2",
                                      "bytes=0-1/2",
                                      "items 0-1/2",
                                      "0-1/2",
                                      "bytes 0-1/2/3",
                                      "bytes 0/1-2",
                                      "bytes */2",
                                      "bytes 0x0-1/2",
                                      "bytes 0-18446744073709551615/*",
                                      "bytes 0-1/18446744073709551616"}) {
    EXPECT_EQ(Shown(text), "none") << text;
  }
}

TEST(ContentRangeTest, ARangeThatIsNotThereSaysTheSize) {
  EXPECT_EQ(ParseUnsatisfiedRange("bytes */0"), 0U);
  EXPECT_EQ(ParseUnsatisfiedRange("bytes */12"), 12U);
  for (const std::string_view text : {"", "bytes */", "bytes */*", "bytes */x", "bytes 0-1/2", "items */2"}) {
    EXPECT_FALSE(ParseUnsatisfiedRange(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace inferd::storage
