#include "base/status.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return std::unexpected(InvalidArgument("odd"));
  return n / 2;
}

Status CheckQuarter(int n, int& out) {
  INFERD_ASSIGN_OR_RETURN(const int half, Half(n));
  INFERD_ASSIGN_OR_RETURN(out, Half(half));
  return OkStatus();
}

Result<std::string> AsText(int n) {
  int quarter = 0;
  INFERD_RETURN_IF_ERROR(CheckQuarter(n, quarter));
  return std::to_string(quarter);
}

TEST(StatusTest, MacrosCarryErrorsAcrossReturnTypes) {
  EXPECT_EQ(AsText(8).value(), "2");
  EXPECT_EQ(AsText(6).error(), InvalidArgument("odd"));
}

TEST(StatusTest, NamesEveryCode) {
  EXPECT_EQ(StatusCodeName(StatusCode::kOk), "OK");
  EXPECT_EQ(StatusCodeName(StatusCode::kUnauthenticated), "UNAUTHENTICATED");
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(99)), "UNKNOWN");
}

TEST(StatusTest, ContextGoesBeforeTheMessage) {
  EXPECT_EQ(NotFound("no file").WithContext("model 'm'").ToString(), "NOT_FOUND: model 'm': no file");
  EXPECT_TRUE(OkStatus().WithContext("x").ok());
}

}  // namespace
}  // namespace inferd::base
