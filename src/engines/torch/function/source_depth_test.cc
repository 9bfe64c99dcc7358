#include "engines/torch/function/source_depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace inferd::torchscript {
namespace {

using ::testing::HasSubstr;

std::string Times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

std::string Verdict(const std::string& source) { return CheckSourceDepth(source).message(); }

TEST(SourceDepthTest, WhatTorchWritesIsTaken) {
  EXPECT_EQ(Verdict(""), "");
  EXPECT_EQ(Verdict("class M(Module):\n  def forward(self, x: Tensor) -> Tensor:\n    return torch.add(x, 2)\n"), "");
  EXPECT_EQ(Verdict("a = [" + Times(100000, "-1.5, ") + "]\n"), "");
  EXPECT_EQ(Verdict(Times(10000, "_0 = torch.add(torch.mul(x, 2), y)\n")), "");
  EXPECT_EQ(Verdict("a = \"" + Times(10000, "((+ \\\"") + "\"\n"), "") << "a text";
  EXPECT_EQ(Verdict("# " + Times(10000, "((") + "\n"), "") << "a comment";
  EXPECT_EQ(Verdict(Times(400, "(") + Times(400, ")") + Times(10000, ")")), "");
}

TEST(SourceDepthTest, WhatTheCompilerHasNoStackForIsNamed) {
  EXPECT_THAT(Verdict("x = " + Times(10000, "(")), HasSubstr("brackets"));
  EXPECT_THAT(Verdict("x = " + Times(10000, "[a, ")), HasSubstr("brackets"));
  EXPECT_THAT(Verdict("x = 'open\n" + Times(10000, "{")), HasSubstr("brackets"));
  EXPECT_THAT(Verdict("x = y" + Times(10000, "+1")), HasSubstr("operators"));
  EXPECT_THAT(Verdict("x = " + Times(10000, "-") + "1"), HasSubstr("operators"));
  EXPECT_THAT(Verdict("x = " + Times(10000, "not ") + "y"), HasSubstr("operators"));
  EXPECT_THAT(Verdict("x = (y" + Times(10000, "\n  .z") + ")"), HasSubstr("operators"));
  EXPECT_THAT(Verdict("x = " + Times(400, "(1+1+1+1+1+1+1+1+1+1+")), HasSubstr("operators"));
  EXPECT_THAT(Verdict(std::string(1000, ' ') + "x = 1\n"), HasSubstr("blocks"));
  EXPECT_THAT(Verdict("if a:\n  b\n" + Times(1000, "elif a:\n  b\n")), HasSubstr("branches"));
  EXPECT_THAT(Verdict(Times(30000, "class A(Module):\n  a : A\n")), HasSubstr("classes"));
}

}  // namespace
}  // namespace inferd::torchscript
