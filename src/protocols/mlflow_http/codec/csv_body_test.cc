#include "protocols/mlflow_http/codec/csv_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/mlflow_http/codec/body_fixture.h"

namespace inferd::mlflow_http {
namespace {

using ::testing::HasSubstr;

std::string Table(std::string_view body) { return Shown(ReadCsvBody(body, TableSignature())); }

TEST(CsvBodyTest, ReadsColumnsByTheirNames) {
  EXPECT_EQ(Table("n,x,a\n1,,2\r\n\n+3,\"q\n,\",4.5"), "a[2] 2.0 4.5; n[2,1] 1 3");
  EXPECT_EQ(Table("\xEF\xBB\xBFword,n,a\n\"say \"\"x\"\"\"y,007,.5\n,2,NA\n"),
            "a[2] 0.5 nan; n[2,1] 7 2; word[2] say \"x\"y ");
  EXPECT_EQ(Shown(ReadCsvBody("u,v\n1,2\n3,4\n", MatrixSignature())), "X[2,2] 1.0 2.0 3.0 4.0");
  EXPECT_EQ(Table("a,n\n1.,1\n-1e3,2\ninf,3\n"), "a[3] 1.0 -1000.0 inf; n[3,1] 1 2 3");
}

TEST(CsvBodyTest, Truths) {
  const core::ModelSignature signature = {.inputs = {{.name = "t", .datatype = tensor::DataType::kBool, .shape = {-1}}},
                                          .outputs = {}};
  const auto request = ReadCsvBody("t\nTrue\nfalse\n", signature);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ((*request)->inputs[0].data.view(), std::string_view("\1\0", 2));
  EXPECT_THAT(Shown(ReadCsvBody("t\nyes\n", signature)), HasSubstr("convert object to bool"));
}

// Rows may be short, and columns may be unknown to the model. The cost must grow with the bytes of both, not with their
// product: thirty thousand million cells would take longer than a test may.
TEST(CsvBodyTest, ManyColumnsAndManyRows) {
  const core::ModelSignature signature = {.inputs = {{.name = "a", .datatype = tensor::DataType::kFp64, .shape = {-1}}},
                                          .outputs = {}};
  constexpr size_t kRows = 500'000;
  std::string body = "a";
  for (size_t i = 1; i < kCsvColumnsMax; ++i) body += ",b";
  for (size_t i = 0; i < kRows; ++i) body += "\n1";
  const auto request = ReadCsvBody(body, signature);
  ASSERT_TRUE(request.has_value()) << request.error().message();
  EXPECT_EQ((*request)->inputs.at(0).shape, tensor::Shape({kRows}));
}

TEST(CsvBodyTest, WhatIsNoTable) {
  EXPECT_THAT(Table(""), HasSubstr("No columns to parse from file"));
  EXPECT_THAT(Table("a,n\n"), HasSubstr("no rows"));
  EXPECT_THAT(Table("a,n\n1,2,3\n"), HasSubstr("Expected 2 fields in line 2, saw more"));
  EXPECT_THAT(Table("a,n\n1,\"2"), HasSubstr("EOF inside string starting at row 1"));
  EXPECT_THAT(Table("a,n\n1\n"), HasSubstr("convert a missing value to int32"));
  EXPECT_THAT(Table("a,n\nx,1\n"), HasSubstr("Incompatible input types for column a."));
  EXPECT_THAT(Table("a,n\n+-1,1\n"), HasSubstr("Incompatible input types for column a."));
  EXPECT_THAT(Table("b\n1\n"),
              HasSubstr("Model is missing inputs ['a', 'n']. Note that there were extra inputs: ['b']."));
  EXPECT_THAT(Table("a,\xFF\n1,2\n"), HasSubstr("valid UTF-8 encoded string"));
  std::string wide = "a";
  for (size_t i = 0; i < kCsvColumnsMax; ++i) wide += ",b";
  EXPECT_THAT(Table(wide + "\n"), HasSubstr("more than 65536 columns"));
}

}  // namespace
}  // namespace inferd::mlflow_http
