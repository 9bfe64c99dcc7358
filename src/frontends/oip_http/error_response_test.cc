#include "frontends/oip_http/error_response.h"

#include <gtest/gtest.h>

#include "frontends/oip_http/handler_fixture.h"

namespace inferd::oip_http {
namespace {

TEST(ErrorResponseTest, QuotesWhatAClientSentWithoutBreakingTheJson) {
  const net::HttpResponse response = ErrorResponse({}, base::InvalidArgument("input '\"\n\xff'"));
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(Body(response), "{\"error\":\"input '\\\"\\n\xef\xbf\xbd'\"}");
  EXPECT_EQ(Header(response, "Content-Type"), "application/json");
}

TEST(ErrorResponseTest, AlwaysSaysSomething) {
  EXPECT_EQ(Body(ErrorResponse({}, base::Unavailable(""))), R"({"error":"UNAVAILABLE"})");
}

TEST(ErrorResponseTest, UnauthenticatedSaysWhatIsAccepted) {
  const base::Status status(base::StatusCode::kUnauthenticated, "a bearer token is required");
  const net::HttpResponse response = ErrorResponse({}, status);
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(Header(response, "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(Header(ErrorResponse({}, base::PermissionDenied("no")), "WWW-Authenticate"), "");
}

TEST(ErrorResponseTest, RetryAfterIsInWholeSecondsAndNeverZero) {
  Options options;
  options.retry_after_s = 0;
  const base::Status full = base::ResourceExhausted("full");
  EXPECT_EQ(Header(ErrorResponse(options, full), "Retry-After"), "1");
  EXPECT_EQ(Header(ErrorResponse(options, full, 1), "Retry-After"), "1");
  EXPECT_EQ(Header(ErrorResponse(options, full, 2001), "Retry-After"), "3");
  options.statuses[static_cast<size_t>(base::StatusCode::kResourceExhausted)] = 503;
  EXPECT_EQ(Header(ErrorResponse(options, full), "Retry-After"), "");
}

}  // namespace
}  // namespace inferd::oip_http
