#include "protocols/access/from_here.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/loopback_connection.h"

namespace inferd::access {
namespace {

bool FromHere(std::string_view peer, std::string_view header = {}) {
  net::RequestHead head;
  head.peer = peer;
  if (!header.empty()) head.headers.emplace_back(header, "x");
  return IsFromMachine(head);
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

bool FromHereWith(std::string_view header, std::string_view value, std::string_view peer = "127.0.0.1:4242") {
  net::RequestHead head;
  head.peer = peer;
  head.headers.emplace_back(header, value);
  return IsFromMachine(head);
}

TEST(FromHereTest, TheRequestNamesThisMachine) {
  std::array<char, 256> name{};
  ASSERT_EQ(gethostname(name.data(), name.size() - 1), 0);
  const std::vector<std::string> here = {"localhost",      "LOCALHOST:8000", "m.localhost:8000",   "127.0.0.1",
                                         "127.1.2.3:8000", "[::1]:8000",     "[::ffff:127.0.0.1]", name.data(),
                                         "localhost.:80",  "[0:0::1]"};
  for (const std::string& host : here) EXPECT_TRUE(FromHereWith("host", host)) << host;
  // A name that an attacker has made resolve to 127.0.0.1 (DNS rebinding).
  for (const char* host : {"evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example",
                           "10.0.0.1", "[::2]:8000", "[::1", "", ":8000", "localhost:8000:evil", "localhost:x",
                           "127.0.0.1:8000.evil", "[::1]evil", "127.", "127.0.0.1..", "evil@localhost"}) {
    EXPECT_FALSE(FromHereWith("host", host)) << host;
    EXPECT_TRUE(FromHereWith("host", host, "unix")) << "a browser opens no Unix socket";
  }
}

TEST(FromHereTest, AProcessOfAnotherUserIsNotHere) {
  const support::LoopbackConnection connection;
  net::RequestHead head;
  head.peer = connection.peer;
  head.local = connection.local;
  EXPECT_TRUE(CheckFromHere(head).ok()) << CheckFromHere(head).ToString();
  if (geteuid() == 0) {
    ASSERT_EQ(fchown(connection.client.get(), 4242, 4242), 0);
    EXPECT_EQ(CheckFromHere(head), base::PermissionDenied("from a process of another user of this machine"));
    ASSERT_EQ(fchown(connection.client.get(), 0, 0), 0);
  }
  head.headers.emplace_back("Via", "x");
  EXPECT_EQ(CheckFromHere(head), base::PermissionDenied("from another machine, or passed on"));
  head.headers.clear();
  head.local = "";
  EXPECT_FALSE(CheckFromHere(head).ok()) << "whose it is must be known";
  head.peer = "unix";
  EXPECT_TRUE(CheckFromHere(head).ok());
}

TEST(FromHereTest, ABrowserSaysWhosePageItIs) {
  for (const char* site : {"cross-site", "same-site", "", "x"})
    EXPECT_FALSE(FromHereWith("Sec-Fetch-Site", site)) << site;
  for (const char* site : {"none", "same-origin"}) EXPECT_TRUE(FromHereWith("Sec-Fetch-Site", site)) << site;
}

}  // namespace
}  // namespace inferd::access
