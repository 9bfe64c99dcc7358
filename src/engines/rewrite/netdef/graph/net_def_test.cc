#include "engines/rewrite/netdef/graph/net_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/rewrite/netdef/graph/netdef_fixture.h"

namespace inferd::netdef {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NetDef, IsReadWithAllOfItsParts) {
  const std::string bytes =
      NetOf({Op("Conv", {"x", "w"}, {"y"}, {IntArg("kernel", 3), FloatArg("a", 0.5F), TextArg("order", "NCHW")}),
             Op("GivenTensorFill", {}, {"w"}, {IntsArg("shape", {2, -1}), FloatsArg("values", {1, 2})})},
            {"x", "w"}, {"y"});
  const auto net = ReadNet(bytes);
  ASSERT_TRUE(net.has_value()) << net.error().ToString();
  EXPECT_THAT(net->external_inputs, ElementsAre("x", "w"));
  EXPECT_THAT(net->external_outputs, ElementsAre("y"));
  ASSERT_EQ(net->operators.size(), 2);
  const Operator& conv = net->operators[0];
  EXPECT_EQ(conv.type, "Conv");
  EXPECT_THAT(conv.inputs, ElementsAre("x", "w"));
  EXPECT_THAT(conv.outputs, ElementsAre("y"));
  ASSERT_EQ(conv.arguments.size(), 3);
  EXPECT_EQ(conv.arguments[0].i, 3);
  EXPECT_EQ(conv.arguments[1].f, 0.5F);
  EXPECT_EQ(conv.arguments[2].s, "NCHW");
  EXPECT_THAT(net->operators[1].arguments[0].ints, ElementsAre(2, -1));
  EXPECT_THAT(net->operators[1].arguments[1].floats, ElementsAre(1, 2));
}

TEST(NetDef, ListsMayBePacked) {
  std::string shape;
  wire::AppendBytes(1, "shape", &shape);
  wire::AppendBytes(6, std::string_view("\x02\x03", 2), &shape);
  std::string values;
  wire::AppendBytes(1, "values", &values);
  wire::AppendBytes(5, std::string_view("\0\0\x80\x3f", 4), &values);
  const std::string bytes = NetOf({Op("GivenTensorFill", {}, {"w"}, {shape, values})});
  const auto net = ReadNet(bytes);
  ASSERT_TRUE(net.has_value());
  EXPECT_THAT(net->operators[0].arguments[0].ints, ElementsAre(2, 3));
  EXPECT_THAT(net->operators[0].arguments[1].floats, ElementsAre(1.0F));
}

TEST(NetDef, WhatIsMalformedIsAnError) {
  const std::string whole = NetOf({Op("Conv", {"x", "w"}, {"y"}, {IntArg("kernel", 3)})}, {"x"}, {"y"});
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); ++size) refused += ReadNet(whole.substr(0, size)).has_value() ? 0 : 1;
  EXPECT_GT(refused, whole.size() / 2);
  std::string cut_off;
  wire::AppendBytes(1, "values", &cut_off);
  wire::AppendBytes(5, "abc", &cut_off);
  EXPECT_FALSE(ReadNet(NetOf({Op("GivenTensorFill", {}, {"w"}, {cut_off})})).has_value());
}

TEST(NetDef, CountsHaveLimits) {
  const auto refusal = [](const std::string& bytes) {
    const auto net = ReadNet(bytes);
    return net.has_value() ? "" : net.error().message();
  };
  EXPECT_THAT(refusal(NetOf(Texts(kOperatorsMax + 1, ""))), HasSubstr("more than 65536 operators"));
  EXPECT_THAT(refusal(NetOf({}, Texts(kBlobsMax + 1, "x"))), HasSubstr("more than 4096 external inputs"));
  EXPECT_THAT(refusal(NetOf({Op("Sum", Texts(kBlobsMax + 1, "x"), {"y"})})), HasSubstr("more than 4096 inputs"));
  EXPECT_THAT(refusal(NetOf({Op("Sum", {"x"}, {"y"}, Texts(kArgumentsMax + 1, ""))})),
              HasSubstr("more than 256 arguments"));
}

}  // namespace
}  // namespace inferd::netdef
