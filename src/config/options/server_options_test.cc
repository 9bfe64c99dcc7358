#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options/options_fixture.h"
#include "config/remote_uri.h"

namespace inferd::config {
namespace server_options_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ServerOptionsTest, ContradictionsAreErrors) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("nothing to serve"));
  EXPECT_EQ(ErrorOf({"--list-engines"}), "") << "nothing is to be served";
  EXPECT_THAT(ErrorOf({"m", "--http-port=1", "--http-port=2"}), HasSubstr("given twice"));
  EXPECT_THAT(ErrorOf({"m", "--trace-otlp-url=http://u:secret@h", "--trace-otlp-url=http://h"}),
              ::testing::AllOf(HasSubstr("given twice"), ::testing::Not(HasSubstr("secret"))));
  EXPECT_THAT(ErrorOf({"m", "--http-port=9", "--metrics-port=9"}),
              HasSubstr("--http-port and --metrics-port are both 9"));
  EXPECT_THAT(ErrorOf({"m", "--load-model=x"}), HasSubstr("--model-control-mode=explicit"));
  EXPECT_THAT(ErrorOf({"m", "--poll-interval=1s", "--model-control-mode=none"}), HasSubstr("--poll-interval needs"));
  EXPECT_THAT(ErrorOf({"m", "--http-tls-key=k"}), HasSubstr("go together"));
  EXPECT_THAT(ErrorOf({"m", "--http=false", "--grpc=false"}), HasSubstr("nothing to listen on"));
  EXPECT_THAT(ErrorOf({"m", "--tcp=false"}), HasSubstr("nothing to listen on"));
  EXPECT_EQ(ErrorOf({"m", "--tcp=false", "--grpc-unix-socket=s"}), "");
  EXPECT_THAT(ErrorOf({"m", "--repository-poll-secs=1"}), HasSubstr("of tritonserver; here it is '--poll-interval'"));
  EXPECT_THAT(ErrorOf({"m", "--as=tritonservr"}), HasSubstr("did you mean 'tritonserver'?"));
  EXPECT_THAT(ErrorOf({"--model-repository=/a/x", "--model-repository=/b/x"}), HasSubstr("two model repositories"));
  EXPECT_THAT(ErrorOf({"m", "--loader-threads=0"}), HasSubstr("--loader-threads must be from 1 to 256"));
  EXPECT_THAT(ErrorOf({"m", "--json-depth-max=0"}), HasSubstr("--json-depth-max must be from 1 to 10000"));
  EXPECT_THAT(ErrorOf({"m", "--pinned-model=x"}), HasSubstr("--pinned-model needs --lazy-loading or a budget"));
  EXPECT_THAT(ErrorOf({"m", "--load-waiters-max=0"}), HasSubstr("--load-waiters-max must be at least 1"));
  EXPECT_THAT(ErrorOf({"m", "--loop-threads=257"}), HasSubstr("--loop-threads must be at most 256"));
}

TEST(ServerOptionsTest, ModelsMayBeElsewhere) {
  const auto parsed = Parse({"--model-repository", "s3://bucket/all", "--model-base-path", "m=gs://bucket/m"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  EXPECT_EQ(parsed->options.repositories.front().name, "all");
  EXPECT_EQ(parsed->options.repositories.front().path, "s3://bucket/all");
  EXPECT_EQ(parsed->options.served.base_paths.front().path, "gs://bucket/m");
  for (const char* uri : {"s3://b/m", "https://h/m.zip", "hdfs://n/m"}) EXPECT_TRUE(IsRemoteUri(uri)) << uri;
  for (const char* path : {"/m", "m", "file:///m", "a/b://c", "://x", ""}) EXPECT_FALSE(IsRemoteUri(path)) << path;
}

TEST(ServerOptionsTest, OriginsAreAsBrowsersWriteThem) {
  const auto parsed = Parse(
      {"m", "--http-cors-allow-origin=https://app.example.org", "--http-cors-allow-origin=http://localhost:3000"});
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_THAT(parsed->options.http_cors_allow_origins, ElementsAre("https://app.example.org", "http://localhost:3000"));
  EXPECT_EQ(ErrorOf({"m", "--http-cors-allow-origin=*"}), "");
  EXPECT_EQ(ErrorOf({"m", "--http-cors-allow-origin=chrome-extension://abc"}), "");
  for (const char* origin : {"app.example.org", "https://", "://a", "https://a/", "https://a/b", "https://A.org",
                             "https://*.example.org", "https://a b", "null"}) {
    EXPECT_THAT(ErrorOf({"m", std::string("--http-cors-allow-origin=") + origin}),
                HasSubstr("--http-cors-allow-origin: expected '*' or an origin as browsers write it"))
        << origin;
  }
}

TEST(ServerOptionsTest, PatternsOfHeadersAreChecked) {
  EXPECT_EQ(ErrorOf({"m", "--http-header-forward-pattern=x-.*"}), "");
  EXPECT_THAT(ErrorOf({"m", "--http-header-forward-pattern=x-("}), HasSubstr("--http-header-forward-pattern: 'x-('"));
  EXPECT_THAT(ErrorOf({"m", "--grpc-header-forward-pattern=["}), HasSubstr("--grpc-header-forward-pattern: '['"));
}

}  // namespace server_options_test
}  // namespace inferd::config
