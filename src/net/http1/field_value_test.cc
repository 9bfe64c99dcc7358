#include "net/http1/field_value.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::net::http1 {
namespace {

TEST(FieldValueTest, EveryByteAtEveryPlaceOfEveryLength) {
  for (size_t size = 0; size <= 20; ++size) {
    EXPECT_TRUE(IsFieldValue(std::string(size, 'x'))) << size;
    for (size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'x');
        text[place] = static_cast<char>(byte);
        const bool expected = byte == '\t' || (byte >= 0x20 && byte != 0x7f);
        EXPECT_EQ(IsFieldValue(text), expected) << "byte " << byte << " at " << place << " of " << size;
      }
    }
  }
}

TEST(FieldValueTest, TabsHideNothing) {
  EXPECT_TRUE(IsFieldValue("\t\t\t\t\t\t\t\t\t\t"));
  EXPECT_FALSE(IsFieldValue("\tabcdefghijk\nlmnop"));
  EXPECT_FALSE(IsFieldValue("abcdefghijk\tlmnop\n"));
}

}  // namespace
}  // namespace inferd::net::http1
