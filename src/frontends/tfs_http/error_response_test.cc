#include "frontends/tfs_http/error_response.h"

#include <gtest/gtest.h>

#include "frontends/tfs_http/handler_fixture.h"

namespace inferd::tfs_http {
namespace {

TEST(ErrorResponseTest, HasTheTablesStatusAndTheMessage) {
  const net::HttpResponse response = ErrorResponse(Options(), base::NotFound("no \"m\""));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(Body(response), R"({"error":"no \"m\""})");
  EXPECT_EQ(Body(ErrorResponse(Options(), base::Internal(""))), R"({"error":"INTERNAL"})");
  EXPECT_EQ(ErrorResponse(413, "too large").status, 413);
}

TEST(ErrorResponseTest, SaysWhenToComeBackAndWithWhat) {
  Options options;
  options.retry_after_s = 7;
  EXPECT_EQ(Header(ErrorResponse(options, base::ResourceExhausted("full")), "Retry-After"), "7");
  EXPECT_EQ(Header(ErrorResponse(options, base::ResourceExhausted("full"), 1), "Retry-After"), "1");
  EXPECT_EQ(Header(ErrorResponse(options, base::NotFound("")), "Retry-After"), "");
  const base::Status unknown(base::StatusCode::kUnauthenticated, "who?");
  EXPECT_EQ(Header(ErrorResponse(options, unknown), "WWW-Authenticate"), "Bearer");
}

TEST(ErrorResponseTest, APersonalityHasItsOwnTable) {
  Options options;
  options.statuses[static_cast<size_t>(base::StatusCode::kResourceExhausted)] = 503;
  const net::HttpResponse response = ErrorResponse(options, base::ResourceExhausted("full"));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Header(response, "Retry-After"), "");
}

}  // namespace
}  // namespace inferd::tfs_http
