#include "ctl/text/shell_word.h"

#include <gtest/gtest.h>

namespace inferd::ctl {
namespace {

TEST(ShellWordTest, PlainTextStays) {
  EXPECT_EQ(ShellWord("models/iris-2.0_a"), "models/iris-2.0_a");
  EXPECT_EQ(ShellWord("http://localhost:8000"), "http://localhost:8000");
}

TEST(ShellWordTest, OtherTextIsQuoted) {
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("my models"), "'my models'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("$HOME;ls"), "'$HOME;ls'");
  EXPECT_EQ(ShellWord("~/models"), "'~/models'");
}

}  // namespace
}  // namespace inferd::ctl
