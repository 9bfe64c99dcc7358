#include "net/http2/stream/response_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::net::http2 {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> Read(const ResponseFields& fields) {
  std::vector<std::pair<std::string, std::string>> read;
  for (size_t i = 0; i < fields.size(); ++i) {
    const nghttp2_nv& field = fields.data()[i];
    read.emplace_back(std::string(reinterpret_cast<const char*>(field.name), field.namelen),
                      std::string(reinterpret_cast<const char*>(field.value), field.valuelen));
  }
  return read;
}

TEST(ResponseFieldsTest, TheStatusComesFirstAndLengthAndDateAreAdded) {
  HttpResponse response;
  response.status = 404;
  response.headers.emplace_back("retry-after", "1");
  EXPECT_THAT(Read(ResponseFields(response, 12, "today")),
              ElementsAre(Pair(":status", "404"), Pair("retry-after", "1"), Pair("content-length", "12"),
                          Pair("date", "today")));
}

TEST(ResponseFieldsTest, TheRequestsIdIsRepeated) {
  EXPECT_THAT(Read(ResponseFields(HttpResponse(), std::nullopt, "", "7f-1")),
              ElementsAre(Pair(":status", "200"), Pair("x-request-id", "7f-1")));
}

TEST(ResponseFieldsTest, TheHandlersHeadersFollowTheResponses) {
  const HeaderList more = {{"Vary", "Origin"}};
  HttpResponse response;
  response.headers = {{"vary", "Accept-Encoding"}};
  EXPECT_THAT(Read(ResponseFields(response, std::nullopt, "", "", &more)),
              ElementsAre(Pair(":status", "200"), Pair("vary", "Accept-Encoding"), Pair("vary", "Origin")));
}

TEST(ResponseFieldsTest, NamesAreInLowerCaseAndValuesAreOneLine) {
  HttpResponse response;
  response.headers.emplace_back("Retry-After", "1\r\n2");
  response.headers.emplace_back("plain", "value");
  response.headers.emplace_back("X-Long-Name-Of-A-Header", std::string("a\0b", 3));
  EXPECT_THAT(Read(ResponseFields(response, std::nullopt, "")),
              ElementsAre(Pair(":status", "200"), Pair("retry-after", "1  2"), Pair("plain", "value"),
                          Pair("x-long-name-of-a-header", "a b")));
}

TEST(ResponseFieldsTest, WhatBelongsToAConnectionStaysOut) {
  HttpResponse response;
  response.headers = {{"Connection", "close"}, {"Transfer-Encoding", "chunked"}, {"content-length", "1"}, {"x", "y"}};
  EXPECT_THAT(Read(ResponseFields(response, std::nullopt, "")), ElementsAre(Pair(":status", "200"), Pair("x", "y")));
}

TEST(ResponseFieldsTest, TrailersHaveNoStatus) {
  const Trailers trailers = {{"grpc-status", "3"}, {"Grpc-Message", "no\nsuch"}};
  EXPECT_THAT(Read(ResponseFields(trailers)), ElementsAre(Pair("grpc-status", "3"), Pair("grpc-message", "no such")));
}

}  // namespace
}  // namespace inferd::net::http2
