#include "kserve/kubernetes/api/api_error.h"

#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::kubernetes {
namespace {

using base::StatusCode;

TEST(ApiErrorTest, AStatusIsKept) {
  const ApiError error = ErrorOfAnswer(409, StatusJson(409, "Conflict", "it was changed"), "");
  EXPECT_EQ(error.code, 409);
  EXPECT_EQ(error.ToString(), "Conflict: it was changed");
  EXPECT_EQ(manifest::ToJson(error.details), R"({"name":"x"})");
  EXPECT_TRUE(error.is_conflict());
  EXPECT_FALSE(error.is_already_exists());
  EXPECT_EQ(error.ToStatus().code(), StatusCode::kAborted);
  EXPECT_TRUE(ErrorOfAnswer(409, StatusJson(409, "AlreadyExists", "m"), "").is_already_exists());
}

TEST(ApiErrorTest, WhatAProxySaysBecomesTheMessage) {
  const ApiError error = ErrorOfAnswer(502, "<h1>Bad\r\n\x1b[31m gateway</h1>\n\xff", "");
  EXPECT_EQ(error.ToString(), "HTTP 502: <h1>Bad [31m gateway</h1>");
  EXPECT_EQ(error.status, StatusCode::kUnavailable);
  EXPECT_EQ(ErrorOfAnswer(500, std::string(10'000, 'x'), "").message.size(), 4096U);
}

TEST(ApiErrorTest, CodesAreErrorsOfTheirKind) {
  const struct {
    int code;
    StatusCode status;
  } cases[] = {
      {400, StatusCode::kInvalidArgument},    {401, StatusCode::kUnauthenticated}, {403, StatusCode::kPermissionDenied},
      {404, StatusCode::kNotFound},           {409, StatusCode::kAborted},         {410, StatusCode::kOutOfRange},
      {413, StatusCode::kResourceExhausted},  {422, StatusCode::kInvalidArgument}, {429, StatusCode::kUnavailable},
      {302, StatusCode::kFailedPrecondition}, {500, StatusCode::kUnavailable},     {503, StatusCode::kUnavailable}};
  for (const auto& one : cases) EXPECT_EQ(ErrorOfAnswer(one.code, "", "").status, one.status) << one.code;
}

TEST(ApiErrorTest, HowLongToWaitStandsInTheHeaderOrTheStatus) {
  EXPECT_EQ(ErrorOfAnswer(429, "", "7").retry_after, std::chrono::seconds(7));
  EXPECT_EQ(
      ErrorOfAnswer(429, R"({"kind":"Status","apiVersion":"v1","details":{"retryAfterSeconds":3}})", "").retry_after,
      std::chrono::seconds(3));
  EXPECT_EQ(ErrorOfAnswer(429, "", "999999999999").retry_after, std::chrono::seconds(600));
  for (const char* text : {"", "-1", "soon", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT"}) {
    EXPECT_EQ(ErrorOfAnswer(429, "", text).retry_after, std::nullopt) << text;
  }
}

TEST(ApiErrorTest, AStatusWithWrongTypesIsStillAnError) {
  const ApiError error =
      ErrorOfStatus(FromJson(R"({"kind":"Status","code":"many","reason":[1],"message":{},"details":"x"})"));
  EXPECT_EQ(error.code, 500);
  EXPECT_EQ(error.status, StatusCode::kUnavailable);
  EXPECT_EQ(ErrorOfStatus(FromJson(R"({"reason":"Expired"})")).code, 410);
  EXPECT_EQ(ErrorOfStatus(FromJson(R"({"code":200})")).code, 500);
}

}  // namespace
}  // namespace inferd::kubernetes
