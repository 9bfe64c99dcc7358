#include "protocols/mlflow_http/codec/content_type.h"

#include <gtest/gtest.h>

namespace inferd::mlflow_http {
namespace {

std::string Found(std::string_view content_type) {
  const auto form = FormOfBody(content_type);
  if (!form.has_value()) return form.error().message();
  return *form == BodyForm::kCsv ? "csv" : "json";
}

TEST(ContentTypeTest, FindsTheFormOfABody) {
  EXPECT_EQ(Found("application/json"), "json");
  EXPECT_EQ(Found("Application/JSON ; charset=\"UTF-8\";"), "json");
  EXPECT_EQ(Found("text/csv; charset=utf8"), "csv");
  EXPECT_EQ(Found("text/csv; charset=latin-1"), "The scoring server only supports UTF-8");
  EXPECT_EQ(Found("application/json; format=pandas-split").substr(0, 49),
            "Unrecognized content type parameters: format. The");
  EXPECT_EQ(Found("text/plain"),
            "This predictor only supports the following content types: Types: ['text/csv', 'application/json']. Got "
            "'text/plain'.");
  EXPECT_EQ(Found("").substr(0, 14), "This predictor");
}

}  // namespace
}  // namespace inferd::mlflow_http
