#include "protocols/tfs_http/codec/feature_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace inferd::tfs_http {
namespace {

using tfs::Feature;

base::Status Read(Feature& feature, std::string_view json) {
  json::Reader reader(json, {.nonfinite_tokens = true});
  return ReadFeature(reader, "f", tensorjson::ValueRules::kStrict, feature);
}

std::string Fault(std::string_view json) {
  Feature feature;
  return Read(feature, json).message();
}

TEST(FeatureReaderTest, TheFirstValueSaysTheKind) {
  Feature feature;
  EXPECT_TRUE(Read(feature, "[1, true, false]").ok());
  EXPECT_EQ(feature.integers, (std::vector<int64_t>{1, 1, 0}));
  EXPECT_TRUE(Read(feature, "2.5").ok());
  EXPECT_EQ(feature.reals, std::vector<double>{2.5});
  EXPECT_TRUE(feature.integers.empty());
  EXPECT_TRUE(Read(feature, R"(["a", {"b64": "YmM="}])").ok());
  EXPECT_EQ(feature.texts, (std::vector<std::string>{"a", "bc"}));
  EXPECT_TRUE(Read(feature, "[]").ok());
  EXPECT_EQ(feature.kind, Feature::Kind::kNone);
}

TEST(FeatureReaderTest, OtherValuesAreRefusedInTensorflowServingsWords) {
  EXPECT_EQ(Fault("[10, 10.0]"), "Unexpected element type in feature: f expecting type: int64");
  EXPECT_EQ(Fault("[1.0, 1]"), "Unexpected element type in feature: f expecting type: float");
  EXPECT_EQ(Fault("[\"a\", 1]"), "Unexpected element type in feature: f expecting type: bytes");
  EXPECT_EQ(Fault("null"), "Feature: f has element with unexpected JSON type: Null");
  EXPECT_EQ(Fault("[[1]]"), "Feature: f has element with unexpected JSON type: Array");
  EXPECT_EQ(Fault("{\"a\": 1}"), "Feature: f has element with unexpected JSON type: Object");
  EXPECT_EQ(Fault("9223372036854775808"), "Feature: f has uint64_t element. Only int64_t is supported.");
  EXPECT_EQ(Fault("{\"b64\": \"!\"}"), "Unable to base64 decode");
  EXPECT_EQ(Fault("{\"b64\": \"Zg\"}"), "Unable to base64 decode");
}

TEST(FeatureReaderTest, LenientlyRealsAreFloatsAndBase64NeedsNoPadding) {
  Feature feature;
  const auto read = [&feature](std::string_view json) {
    json::Reader reader(json, {.nonfinite_tokens = true});
    return ReadFeature(reader, "f", tensorjson::ValueRules::kLenient, feature);
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(read("[1e39, -1e39, 2.5]").ok());
  EXPECT_EQ(feature.reals, (std::vector<double>{kInfinity, -kInfinity, 2.5}));
  EXPECT_TRUE(read(R"([{"b64": "Zg"}])").ok());
  EXPECT_EQ(feature.texts, std::vector<std::string>{"f"});
  EXPECT_TRUE(Read(feature, "1e39").ok());
  EXPECT_EQ(feature.reals, std::vector<double>{1e39});
}

}  // namespace
}  // namespace inferd::tfs_http
