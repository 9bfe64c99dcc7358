#include "net/grpc/web.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/base64.h"
#include "net/grpc/call_fixture.h"

namespace inferd::net::grpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kWeb = "application/grpc-web+proto";

class WebTest : public CallFixture {
 protected:
  FakeCall Call(std::string path, FakeCall::Fields fields = {}, bool http2 = false) {
    return FakeCall(server_, std::move(path), std::move(fields), std::string(kWeb), net::Method::kPost, http2);
  }
};

TEST_F(WebTest, TrailersAreTheBodysLastFrame) {
  echo_ = true;
  Serve();
  for (const bool http2 : {false, true}) {
    FakeCall call = Call("/t.T/Unary", {}, http2);
    call.Unary("hello");
    EXPECT_EQ(call.sends, 1u);
    EXPECT_EQ(call.Header("content-type"), kWeb);
    EXPECT_THAT(call.Messages(), ElementsAre("0:hello", "128:grpc-status: 0\r\n"));
    EXPECT_TRUE(call.trailers.empty());
    EXPECT_EQ(call.Header("access-control-allow-origin"), "");
  }
}

TEST_F(WebTest, StreamsEndWithTheirTrailers) {
  Serve();
  FakeCall call = Call("/t.T/Unary");
  call.Unary("x");
  responder_.AddTrailingMetadata("X-Name", "a\nb");
  responder_.Write(MessageOf("1"));
  responder_.Write(MessageOf("2"));
  responder_.Finish(base::NotFound("no"));
  EXPECT_THAT(call.Messages(), ElementsAre("0:1", "0:2", "128:grpc-status: 5\r\ngrpc-message: no\r\nx-name: a b\r\n"));
  EXPECT_TRUE(call.trailers.empty());
}

TEST_F(WebTest, ErrorsBeforeAMessageAreInTheHeaders) {
  Serve();
  FakeCall unknown = Call("/t.T/Other");
  EXPECT_EQ(unknown.status(), "12");
  EXPECT_EQ(unknown.Header("content-type"), kWeb);
  FakeCall call = Call("/t.T/Unary");
  call.Unary("x");
  responder_.Finish(base::NotFound("no"));
  EXPECT_EQ(call.status(), "5");
  EXPECT_EQ(call.body, "");
}

std::string Text(std::string_view bytes) {
  std::string text(base::Base64Size(bytes.size()), ' ');
  base::EncodeBase64(bytes, text.data());
  return text;
}

class WebTextTest : public CallFixture {
 protected:
  FakeCall Call(std::string path) {
    return FakeCall(server_, std::move(path), {}, "application/grpc-web-text", net::Method::kPost, false);
  }
};

TEST_F(WebTextTest, BodiesAreBase64) {
  echo_ = true;
  Serve();
  for (const std::string& message : {std::string(), std::string("hello"), std::string(10'000, 'x')}) {
    for (const size_t step : {size_t{1}, size_t{7}, SIZE_MAX}) {
      FakeCall call = Call("/t.T/Unary");
      call.Bytes(Text(Framed(message)), true, step);
      EXPECT_EQ(call.Header("content-type"), "application/grpc-web-text+proto");
      EXPECT_EQ(call.body, Text(Framed(message) + Framed("grpc-status: 0\r\n", '\x80'))) << step;
    }
  }
}

TEST_F(WebTextTest, EachPartMayBePadded) {
  echo_ = true;
  Serve();
  const std::string frame = Framed("hello");
  FakeCall call = Call("/t.T/Unary");
  call.Bytes(Text(frame.substr(0, 1)) + Text(frame.substr(1, 5)) + Text(frame.substr(6)), true);
  EXPECT_EQ(call.body, Text(frame + Framed("grpc-status: 0\r\n", '\x80')));
}

TEST_F(WebTextTest, PartsOfAStreamCanBeDecodedAsTheyCome) {
  Serve();
  FakeCall call = Call("/t.T/Unary");
  call.Bytes(Text(Framed("x")), true);
  responder_.Write(MessageOf("1"));
  responder_.Write(MessageOf("22"));
  responder_.Finish(base::NotFound("no"));
  EXPECT_EQ(call.body,
            Text(Framed("1")) + Text(Framed("22")) + Text(Framed("grpc-status: 5\r\ngrpc-message: no\r\n", '\x80')));
}

TEST_F(WebTextTest, OtherTextEndsTheCall) {
  Serve();
  for (const std::string& text : {std::string("AAAA!AAA"), std::string("AAAAA"), std::string("A=AA"), Framed("x")}) {
    FakeCall call = Call("/t.T/Unary");
    call.Bytes(text, true);
    EXPECT_EQ(call.status(), "13") << text;
    EXPECT_THAT(call.message(), HasSubstr("base64")) << text;
  }
}

TEST_F(WebTest, LongTrailersAreOneFrame) {
  const base::BufferSlice frame = WebTrailersFrame({{"a", std::string(3000, 'x')}});
  EXPECT_EQ(frame.view(), Framed("a: " + std::string(3000, 'x') + "\r\n", '\x80'));
}

TEST_F(WebTest, PagesMayCallWhenAnOriginIsAllowed) {
  server_.options.web_allow_origin = "https://page";
  echo_ = true;
  Serve();
  FakeCall call = Call("/t.T/Unary");
  call.Unary("x");
  EXPECT_EQ(call.Header("access-control-allow-origin"), "https://page");
  EXPECT_EQ(call.Header("vary"), "origin");
  EXPECT_THAT(call.Header("access-control-expose-headers"), HasSubstr("grpc-status"));

  const FakeCall::Fields asking = {{"origin", "https://page"},
                                   {"access-control-request-method", "POST"},
                                   {"access-control-request-headers", "x-grpc-web,x-mine"}};
  FakeCall preflight(server_, "/t.T/Unary", asking, "", net::Method::kOptions, false);
  EXPECT_EQ(preflight.http_status, 204);
  EXPECT_EQ(preflight.Header("access-control-allow-origin"), "https://page");
  EXPECT_EQ(preflight.Header("access-control-allow-methods"), "POST");
  EXPECT_EQ(preflight.Header("access-control-allow-headers"), "x-grpc-web,x-mine");
  EXPECT_EQ(FakeCall(server_, "/t.T/Other", asking, "", net::Method::kOptions, false).http_status, 415);
  EXPECT_EQ(FakeCall(server_, "/t.T/Unary", {}, "", net::Method::kOptions, false).http_status, 415);
  server_.handler.reset();
  server_.options.web_allow_origin = "";
  Serve();
  EXPECT_EQ(FakeCall(server_, "/t.T/Unary", asking, "", net::Method::kOptions, false).http_status, 415);
}

}  // namespace
}  // namespace inferd::net::grpc
