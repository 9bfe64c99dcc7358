#include "storage/transfer/fetch_client.h"

#include <gtest/gtest.h>

namespace inferd::storage {
namespace {

using base::StatusCode;

TEST(FetchClientTest, AResponsesStatusIsAnErrorOfItsKind) {
  const struct {
    int status;
    StatusCode code;
  } cases[] = {{400, StatusCode::kFailedPrecondition}, {401, StatusCode::kPermissionDenied},
               {403, StatusCode::kPermissionDenied},   {404, StatusCode::kNotFound},
               {408, StatusCode::kUnavailable},        {416, StatusCode::kFailedPrecondition},
               {429, StatusCode::kUnavailable},        {500, StatusCode::kUnavailable},
               {503, StatusCode::kUnavailable}};
  for (const auto& one : cases) EXPECT_EQ(StatusOfResponse(one.status, "").code(), one.code) << one.status;
}

TEST(FetchClientTest, TheLastHeaderOfANameCounts) {
  const ResponseHead head{.status = 200, .headers = {{"ETag", "1"}, {"etag", "2"}, {"Length", "3"}}};
  EXPECT_EQ(head.Find("Etag"), "2");
  EXPECT_EQ(head.Find("Range"), "");
}

TEST(FetchClientTest, BadUrlsAndOtherSchemesAreRefused) {
  const FetchClient client({});
  const FetchSink sink{.head = [](const ResponseHead&) { return true; },
                       .body = [](std::string_view) { return base::OkStatus(); }};
  for (const char* url : {"ftp://127.0.0.1/a", "file:///etc/passwd", "http://", "http://a b/"}) {
    EXPECT_EQ(client.Fetch({.url = url}, sink, {}).code(), StatusCode::kInvalidArgument) << url;
  }
}

}  // namespace
}  // namespace inferd::storage
