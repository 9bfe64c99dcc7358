#include "engines/rewrite/mxnet/graph/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engines/rewrite/mxnet/graph/mxnet_fixture.h"

namespace inferd::mxnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(const std::string& bytes) {
  const auto params = ReadParams(bytes);
  return params.has_value() ? "" : params.error().message();
}

// Returns [2, 1] of int32 in version 0 (with 32-bit sizes), 1, 2 or 3.
std::string ArrayOfVersion(int version) {
  constexpr int32_t kElements[] = {7, -8};
  std::string bytes;
  if (version > 0) Append<uint32_t>(0xF993FAC7 + static_cast<uint32_t>(version), &bytes);
  if (version > 1) Append<int32_t>(0, &bytes);
  Append<uint32_t>(2, &bytes);
  for (const int size : {2, 1}) version == 0 ? Append<uint32_t>(size, &bytes) : Append<int64_t>(size, &bytes);
  return bytes + Rest(4, {reinterpret_cast<const char*>(kElements), sizeof(kElements)});
}

TEST(Params, ArraysOfEveryVersionAreRead) {
  for (int version = 0; version <= 3; ++version) {
    const std::string bytes = ListOf({{"arg:weight", ArrayOfVersion(version)}, {"aux:mean", ArrayOf({3})}});
    const auto params = ReadParams(bytes);
    ASSERT_TRUE(params.has_value()) << version << params.error().message();
    const Array& weight = params->at("weight");
    EXPECT_EQ(weight.element, Element::kInt32);
    EXPECT_THAT(weight.shape, ElementsAre(2, 1));
    EXPECT_EQ(weight.raw, std::string_view("\x07\0\0\0\xF8\xFF\xFF\xFF", 8));
    EXPECT_THAT(params->at("mean").shape, ElementsAre(3));
  }
}

TEST(Params, AnArrayOfNoDimensionIsOfTheThirdVersion) {
  std::string scalar;
  Append<uint32_t>(0xF993FACA, &scalar);
  Append<int32_t>(0, &scalar);
  Append<uint32_t>(0, &scalar);
  std::string raw;
  Append<float>(2, &raw);
  const std::string bytes = ListOf({{"s", scalar + Rest(0, raw)}});
  ASSERT_TRUE(ReadParams(bytes).has_value());
  EXPECT_EQ(ReadParams(bytes)->at("s").raw, raw);
}

TEST(Params, WhatIsCutOffIsRefusedWhereverThatIs) {
  const std::string whole = ListOf({{"arg:w", ArrayOf({2, 2})}});
  EXPECT_EQ(ErrorOf(whole), "");
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(ErrorOf(whole.substr(0, size)), "") << size;
  EXPECT_THAT(ErrorOf(whole + "?"), HasSubstr("there are bytes behind its end"));
}

std::string WithHead(uint32_t begin, const std::vector<uint32_t>& more) {
  std::string array;
  Append(begin, &array);
  for (const uint32_t each : more) Append(each, &array);
  return ListOf({{"w", array}});
}

TEST(Params, WhatIsMalformedIsRefused) {
  std::string many;
  Append<uint64_t>(0x112, &many);
  Append<uint64_t>(0, &many);
  Append<uint64_t>(kArraysMax + 1, &many);
  struct Case {
    std::string bytes;
    std::string error;
  };
  const std::string array = ArrayOf({1});
  const std::vector<Case> cases = {
      {std::string(24, '\x11'), "at byte 8: it is no list of MXNet's arrays"},
      {many, "at byte 24: it has 65537 arrays, and may have 65536"},
      {ListOf({{"w", array}, {"arg:w", array}}), "array 'w' is there twice"},
      {ListOf({{std::string(5000, 'w'), array}}), "a name has more than 4096 bytes"},
      {WithHead(33, {}), "more than 32 dimensions"},
      {WithHead(0, {}), "an array has no shape"},
      {WithHead(0xF993FAC9, {1}), "sparse storage"},
      {WithHead(0xF993FAC8, {1, 0, 0x80000000}), "no such size"},
      {WithHead(0xF993FAC8, {2, 0, 0x40000000, 0, 0x40000000}), "no such size"},
      {WithHead(1, {1, 1, 0, 12}), "datatype 12 is not supported"},
      {WithHead(1, {0xFFFFFFFF, 1, 0, 0}), "it is cut off"},
  };
  for (const Case& each : cases) EXPECT_THAT(ErrorOf(each.bytes), HasSubstr(each.error));
}

}  // namespace
}  // namespace inferd::mxnet
