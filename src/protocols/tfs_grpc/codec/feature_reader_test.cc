#include "protocols/tfs_grpc/codec/feature_reader.h"

#include <gtest/gtest.h>

#include "tfs/example.pb.h"

namespace inferd::tfs_grpc {
namespace {

using tfs::Feature;

base::Status Read(std::vector<std::string> parts, Feature& feature) {
  return ReadFeature(std::vector<wire::Reader>(parts.begin(), parts.end()), feature);
}

TEST(FeatureReaderTest, EveryKind) {
  tensorflow::Feature proto;
  Feature feature;
  proto.mutable_int64_list()->add_value(-1);
  proto.mutable_int64_list()->add_value(INT64_MAX);
  ASSERT_TRUE(Read({proto.SerializeAsString()}, feature).ok());
  EXPECT_EQ(feature.integers, (std::vector<int64_t>{-1, INT64_MAX}));
  proto.mutable_float_list()->add_value(0.5f);
  ASSERT_TRUE(Read({proto.SerializeAsString()}, feature).ok());
  EXPECT_EQ(feature.reals, std::vector<double>{0.5});
  EXPECT_TRUE(feature.integers.empty());
  proto.mutable_bytes_list()->add_value("a");
  proto.mutable_bytes_list()->add_value("");
  ASSERT_TRUE(Read({proto.SerializeAsString()}, feature).ok());
  EXPECT_EQ(feature.texts, (std::vector<std::string>{"a", ""}));
}

TEST(FeatureReaderTest, PartsMergeAndTheLastKindCounts) {
  tensorflow::Feature one;
  one.mutable_int64_list()->add_value(1);
  tensorflow::Feature real;
  real.mutable_float_list()->add_value(2);
  Feature feature;
  const std::string single = "\x1a\x02\x08\x05";  // int64_list with an unpacked value
  ASSERT_TRUE(Read({real.SerializeAsString(), one.SerializeAsString() + single}, feature).ok());
  EXPECT_EQ(feature.integers, (std::vector<int64_t>{1, 5}));
  EXPECT_TRUE(feature.reals.empty());
}

TEST(FeatureReaderTest, AListWithoutValuesIsNoFeature) {
  tensorflow::Feature proto;
  proto.mutable_float_list();
  Feature feature;
  ASSERT_TRUE(Read({proto.SerializeAsString()}, feature).ok());
  EXPECT_EQ(feature.kind, Feature::Kind::kNone);
}

TEST(FeatureReaderTest, MalformedListsAreRefused) {
  Feature feature;
  for (const char* bytes : {"\x0a", "\x12\x03\x0a\x01\x05", "\x1a\x03\x0a\x01\x80"}) {
    EXPECT_EQ(Read({bytes}, feature).code(), base::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace inferd::tfs_grpc
