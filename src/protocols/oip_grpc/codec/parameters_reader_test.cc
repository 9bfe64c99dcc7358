#include "protocols/oip_grpc/codec/parameters_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace inferd::oip_grpc {
namespace parameters_reader_test {

using namespace std::string_literals;

// Reads entries with these bytes. Returns the parameters or the error.
base::Result<core::Parameters> Read(const std::vector<std::string>& entries) {
  core::Parameters parameters;
  ParametersReader reader(parameters);
  for (const std::string& entry : entries) INFERD_RETURN_IF_ERROR(reader.ReadEntry(wire::Reader(entry)));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  return parameters;
}

std::string Error(const std::vector<std::string>& entries) {
  const auto parameters = Read(entries);
  if (parameters.has_value()) return "no error";
  EXPECT_EQ(parameters.error().code(), base::StatusCode::kInvalidArgument);
  return parameters.error().message();
}

const std::string kTrue = "\x0a\x01k\x12\x02\x08\x01";
const std::string kSeven = "\x0a\x01k\x12\x02\x10\x07";
const std::string kText = "\x0a\x01k\x12\x04\x1a\x02xy";
const std::string kHalf = "\x0a\x01k\x12\x09\x21\x00\x00\x00\x00\x00\x00\xe0\x3f"s;
const std::string kUnsigned = "\x0a\x01k\x12\x02\x28\x07";
const std::string kNone = "\x0a\x01k";

TEST(ParametersReaderTest, ReadsEveryKind) {
  EXPECT_EQ(Read({kTrue}), (core::Parameters{{"k", true}}));
  EXPECT_EQ(Read({kSeven}), (core::Parameters{{"k", int64_t{7}}}));
  EXPECT_EQ(Read({kText}), (core::Parameters{{"k", std::string("xy")}}));
  EXPECT_EQ(Read({kHalf}), (core::Parameters{{"k", 0.5}}));
  EXPECT_EQ(Read({kUnsigned}), (core::Parameters{{"k", uint64_t{7}}}));
}

TEST(ParametersReaderTest, TheLastEntryOfAKeyCounts) {
  EXPECT_EQ(Read({kTrue, kText, "\x0a\x01z\x12\x02\x08\x00"s, kSeven}),
            (core::Parameters{{"k", int64_t{7}}, {"z", false}}));
}

TEST(ParametersReaderTest, TheLastChoiceOfAValueCounts) {
  EXPECT_EQ(Read({"\x0a\x01k\x12\x06\x08\x01\x1a\x02xy"}), (core::Parameters{{"k", std::string("xy")}}));
  // A second value is merged into the first; here it adds nothing.
  EXPECT_EQ(Read({kSeven + "\x12\x00"s}), (core::Parameters{{"k", int64_t{7}}}));
  EXPECT_EQ(Read({kSeven + "\x12\x02\x08\x01"}), (core::Parameters{{"k", true}}));
}

TEST(ParametersReaderTest, AKeyMayBeEmptyOrBehindTheValue) {
  EXPECT_EQ(Read({"\x12\x02\x08\x01"}), (core::Parameters{{"", true}}));
  EXPECT_EQ(Read({"\x12\x02\x08\x01\x0a\x01k"}), (core::Parameters{{"k", true}}));
}

TEST(ParametersReaderTest, AParameterNeedsAValue) {
  const std::string error =
      "parameter 'k': expected bool_param, int64_param, string_param, double_param or uint64_param, got none";
  EXPECT_EQ(Error({kNone}), error);
  EXPECT_EQ(Error({kTrue, kNone}), error);
  EXPECT_EQ(Error({kNone, kTrue}), "no error");
  EXPECT_EQ(Error({kNone + "\x12\x02\x30\x01"}), error);  // an unknown choice
}

TEST(ParametersReaderTest, TheirNumberIsLimited) {
  std::vector<std::string> entries(v2::kParametersMax, kTrue);
  EXPECT_EQ(Error(entries), "no error");
  entries.push_back(kTrue);
  EXPECT_EQ(Error(entries), "expected at most 256 parameters, got more");
}

TEST(ParametersReaderTest, MalformedEntriesAreRefused) {
  EXPECT_NE(Error({"\x0a\x01\xff"}).find("a string is not UTF-8"), std::string::npos);
  EXPECT_NE(Error({"\x0a\x01k\x12\x03\x1a\x01\xff"}).find("a string is not UTF-8"), std::string::npos);
  EXPECT_NE(Error({"\x0a\x01k\x12\x03\x1a\x02x"}).find("a field is longer"), std::string::npos);
}

}  // namespace parameters_reader_test
}  // namespace inferd::oip_grpc
