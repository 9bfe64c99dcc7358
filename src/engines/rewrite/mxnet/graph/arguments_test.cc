#include "engines/rewrite/mxnet/graph/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace inferd::mxnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParseTuple, ReadsWhatPythonWrites) {
  EXPECT_THAT(ParseTuple("(3, 4)").value(), ElementsAre(3, 4));
  EXPECT_THAT(ParseTuple("[3,-4]").value(), ElementsAre(3, -4));
  EXPECT_THAT(ParseTuple("(3L, 4L)").value(), ElementsAre(3, 4));
  EXPECT_THAT(ParseTuple("(3,)").value(), ElementsAre(3));
  EXPECT_THAT(ParseTuple(" 3 ").value(), ElementsAre(3));
  EXPECT_THAT(ParseTuple("(None, 2)").value(), ElementsAre(std::nullopt, 2));
  EXPECT_THAT(ParseTuple("()").value(), ElementsAre());
  EXPECT_THAT(ParseTuple("").value(), ElementsAre());
  for (const std::string text : {"(3", "3)", "(a)", "(1 2)", "(99999999999999999999)", "(1.5)", "(,)", "("}) {
    EXPECT_FALSE(ParseTuple(text).has_value()) << text;
  }
  std::string many = "1";
  for (int i = 0; i < 64; ++i) many += ",1";
  EXPECT_FALSE(ParseTuple(many).has_value());
}

TEST(Arguments, AreTextsThatAreAskedFor) {
  const Node node{.op = {},
                  .name = {},
                  .inputs = {},
                  .attributes = {{"int", "-3"},
                                 {"float", "1e-05"},
                                 {"yes", "True"},
                                 {"no", "0"},
                                 {"type", "float16"},
                                 {"nothing", "None"},
                                 {"__shape__", "?"},
                                 {"weight_lr_mult", "?"}}};
  Arguments args(node);
  EXPECT_EQ(args.Int("int", 0), -3);
  EXPECT_EQ(args.Float("float", 0), 1e-5);
  EXPECT_TRUE(args.Flag("yes", false));
  EXPECT_FALSE(args.Flag("no", true));
  EXPECT_EQ(args.Datatype("type", Element::kFloat), Element::kFloat16);
  EXPECT_EQ(args.Int("nothing", 7), 7);
  EXPECT_EQ(args.Int("missing", 8), 8);
  EXPECT_TRUE(args.Finish().ok());
}

TEST(Arguments, WhatIsWrongIsNoted) {
  const Node node{
      .op = {}, .name = {}, .inputs = {}, .attributes = {{"text", "x"}, {"hole", "(1, None)"}, {"yes", "1"}}};
  const auto error = [&node](auto ask) {
    Arguments args(node);
    ask(args);
    return args.Finish().message();
  };
  EXPECT_EQ(error([](Arguments& args) { args.Int("text", 0); }), "argument 'text' is 'x', which is no integer");
  EXPECT_THAT(error([](Arguments& args) { args.Float("text", 0); }), HasSubstr("no number"));
  EXPECT_THAT(error([](Arguments& args) { args.Flag("text", false); }), HasSubstr("no True or False"));
  EXPECT_THAT(error([](Arguments& args) { args.Ints("text"); }), HasSubstr("no tuple of integers"));
  EXPECT_THAT(error([](Arguments& args) { args.Ints("hole"); }), HasSubstr("'hole' has a part that is None"));
  EXPECT_THAT(error([](Arguments& args) { args.Datatype("text", {}); }), HasSubstr("no datatype that is supported"));
  EXPECT_THAT(error([](Arguments& args) { args.Need("more"); }), HasSubstr("it has no argument 'more'"));
  EXPECT_THAT(error([](Arguments& args) { args.MustBeFalse({"yes"}); }), HasSubstr("'yes' is not supported"));
  EXPECT_EQ(error([](Arguments& args) { args.Ignore({"text", "yes"}); }), "argument 'hole' is not known");
}

}  // namespace
}  // namespace inferd::mxnet
