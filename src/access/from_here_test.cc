#include "access/from_here.h"

#include <gtest/gtest.h>

namespace inferd::access {
namespace {

bool FromHere(std::string_view peer, std::string_view header = {}) {
  net::RequestHead head;
  head.peer = peer;
  if (!header.empty()) head.headers.emplace_back(header, "x");
  return IsFromHere(head);
}

TEST(FromHereTest, TheLoopbackAndUnixSocketsAre) {
  for (const char* peer : {"127.0.0.1:4242", "127.9.9.9:1", "[::1]:4242", "[::ffff:127.0.0.1]:4242", "unix"}) {
    EXPECT_TRUE(FromHere(peer)) << peer;
  }
}

TEST(FromHereTest, OtherAddressesAreNot) {
  for (const char* peer :
       {"10.0.0.1:127", "128.0.0.1:1", "[2001:db8::1]:1", "[::ffff:10.0.0.1]:1", "[::127.0.0.1]:1", ""}) {
    EXPECT_FALSE(FromHere(peer)) << peer;
  }
}

TEST(FromHereTest, WhatAProxyOrABrowserSendsIsNot) {
  for (const char* header :
       {"Forwarded", "x-forwarded-for", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "via", "Origin"}) {
    EXPECT_FALSE(FromHere("127.0.0.1:4242", header)) << header;
  }
  EXPECT_TRUE(FromHere("127.0.0.1:4242", "Accept"));
}

}  // namespace
}  // namespace inferd::access
