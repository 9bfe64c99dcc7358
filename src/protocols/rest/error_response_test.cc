#include "protocols/rest/error_response.h"

#include <gtest/gtest.h>

#include "net/fake_exchange.h"

namespace inferd::rest {
namespace {

TEST(ErrorResponseTest, QuotesWhatAClientSentWithoutBreakingTheJson) {
  const net::HttpResponse response = ErrorResponse({}, base::InvalidArgument("input '\"\n\xff'"));
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(BodyText(response), "{\"error\":\"input '\\\"\\n\xef\xbf\xbd'\"}");
  EXPECT_EQ(HeaderValue(response, "Content-Type"), "application/json");
}

TEST(ErrorResponseTest, SaysItsTextToTheLog) {
  const std::string message = "input '\"\n' is \xc3\xbc";
  EXPECT_EQ(ErrorText(ErrorResponse({}, base::InvalidArgument(message))), message);
  EXPECT_EQ(ErrorText(ErrorResponse(413, "too large")), "too large");
  EXPECT_EQ(ErrorText(net::HttpResponse()), "");
  EXPECT_EQ(ErrorText(JsonResponse(R"({"error":"of a success"})")), "");
  for (const char* body : {"", "[]", "{}", "{\"ready\":false}", "{\"error\":{\"code\":5}}", "{\"error\":"}) {
    EXPECT_EQ(ErrorText(net::HttpResponse::Text(400, "application/json", body)), "") << body;
  }
  EXPECT_EQ(ErrorText(net::HttpResponse::Text(400, "text/plain", R"({"error":"no JSON"})")), "");
}

TEST(ErrorResponseTest, AlwaysSaysSomething) {
  EXPECT_EQ(BodyText(ErrorResponse({}, base::Unavailable(""))), R"({"error":"UNAVAILABLE"})");
}

TEST(ErrorResponseTest, UnauthenticatedSaysWhatIsAccepted) {
  const base::Status status(base::StatusCode::kUnauthenticated, "a bearer token is required");
  const net::HttpResponse response = ErrorResponse({}, status);
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(HeaderValue(response, "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(HeaderValue(ErrorResponse({}, base::PermissionDenied("no")), "WWW-Authenticate"), "");
}

TEST(ErrorResponseTest, RetryAfterIsInWholeSecondsAndNeverZero) {
  Options options;
  options.retry_after_s = 0;
  const base::Status full = base::ResourceExhausted("full");
  EXPECT_EQ(HeaderValue(ErrorResponse(options, full), "Retry-After"), "1");
  EXPECT_EQ(HeaderValue(ErrorResponse(options, full, 1), "Retry-After"), "1");
  EXPECT_EQ(HeaderValue(ErrorResponse(options, full, 2001), "Retry-After"), "3");
  options.statuses[static_cast<size_t>(base::StatusCode::kResourceExhausted)] = 503;
  EXPECT_EQ(HeaderValue(ErrorResponse(options, full), "Retry-After"), "");
  EXPECT_EQ(HeaderValue(ErrorResponse(options, base::Unavailable("not yet"), 1500), "Retry-After"), "2");
}

TEST(ErrorResponseTest, HasTheTablesStatusAndTheMessage) {
  const net::HttpResponse response = ErrorResponse(Options(), base::NotFound("no \"m\""));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(BodyText(response), R"({"error":"no \"m\""})");
  EXPECT_EQ(BodyText(ErrorResponse(Options(), base::Internal(""))), R"({"error":"INTERNAL"})");
  EXPECT_EQ(ErrorResponse(413, "too large").status, 413);
}

TEST(ErrorResponseTest, SaysWhenToComeBackAndWithWhat) {
  Options options;
  options.retry_after_s = 7;
  EXPECT_EQ(HeaderValue(ErrorResponse(options, base::ResourceExhausted("full")), "Retry-After"), "7");
  EXPECT_EQ(HeaderValue(ErrorResponse(options, base::ResourceExhausted("full"), 1), "Retry-After"), "1");
  EXPECT_EQ(HeaderValue(ErrorResponse(options, base::NotFound("")), "Retry-After"), "");
  const base::Status unknown(base::StatusCode::kUnauthenticated, "who?");
  EXPECT_EQ(HeaderValue(ErrorResponse(options, unknown), "WWW-Authenticate"), "Bearer");
}

TEST(ErrorResponseTest, APersonalityHasItsOwnTable) {
  Options options;
  options.statuses[static_cast<size_t>(base::StatusCode::kResourceExhausted)] = 503;
  const net::HttpResponse response = ErrorResponse(options, base::ResourceExhausted("full"));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(HeaderValue(response, "Retry-After"), "");
}

}  // namespace
}  // namespace inferd::rest
