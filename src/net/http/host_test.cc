#include "net/http/host.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::net {
namespace {

std::string Shown(std::string_view text) {
  const auto host = ParseHost(text);
  if (!host.has_value()) return "none";
  std::string shown(host->kind == Host::Kind::kName ? "name" : host->kind == Host::Kind::kIpv4 ? "4" : "6");
  shown.append(" ").append(host->name);
  return host->port.has_value() ? shown + " " + std::to_string(*host->port) : shown;
}

TEST(HostTest, Forms) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "name "},
      {"a", "name a"},
      {"Models.Example.com:8080", "name Models.Example.com 8080"},
      {"a.example.", "name a.example"},
      {"a.example.:80", "name a.example 80"},
      {"a:", "name a"},
      {"a_b%20c", "name a_b%20c"},
      {"127.0.0.1", "4 127.0.0.1"},
      {"127.0.0.1.", "4 127.0.0.1"},
      {"127.0.0.1:65535", "4 127.0.0.1 65535"},
      {"127.1", "name 127.1"},
      {"127.0.0.1.evil.example", "name 127.0.0.1.evil.example"},
      {"[::1]", "6 [::1]"},
      {"[2001:db8::A]:0", "6 [2001:db8::A] 0"},
      {"[::ffff:127.0.0.1]:", "6 [::ffff:127.0.0.1]"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(Shown(text), shown) << text;
}

TEST(HostTest, WhatIsNoneIsRefused) {
  for (const std::string_view text :
       {":80",        ".",           "a..",    "..",   "a:b",     "a:80x",     "a:-1",   "a:+1", "a: 1",    "a:65536",
        "a:1:2",      "::1",         "a b",    "a/b",  "a@b",     "user@a:80", "a?b",    "a#b",  "a\\b",    "a\"",
        "<a>",        "a%",          "a%2",    "a%zz", "[",       "[]",        "[::1",   "::1]", "[::1]80", "[::1]:x",
        "[::1%25lo]", "[127.0.0.1]", "[v1.x]", "[a]",  "[[::1]]", "\xc3\xa4",  "a,b:1,2"}) {
    EXPECT_EQ(Shown(text), "none") << text;
  }
  EXPECT_EQ(Shown(std::string(255, 'a')).size(), 260U);
  EXPECT_EQ(Shown(std::string(256, 'a')), "none");
  EXPECT_EQ(Shown("[" + std::string(100, '0') + "::1]"), "none");
  EXPECT_EQ(Shown(std::string_view("a\0b", 3)), "none");
}

TEST(HostTest, TheSameHostMayBeWrittenInSeveralWays) {
  const std::pair<std::string_view, std::string_view> same[] = {
      {"a.example", "A.EXAMPLE"},     {"a.example", "a.example."},       {"a.example", "a.example:80"},
      {"a.example:", "a.example:80"}, {"[::1]", "[0:0:0:0:0:0:0:1]:80"}, {"[2001:DB8::a]", "[2001:db8::A]"}};
  for (const auto& [left, right] : same) EXPECT_TRUE(IsSameHost(left, right, 80)) << left << " " << right;
  const std::pair<std::string_view, std::string_view> others[] = {{"a.example", "b.example"},
                                                                  {"a.example", "a.example:81"},
                                                                  {"a.example", "a.example.evil"},
                                                                  {"", "a"},
                                                                  {"[::1]", "[::2]"},
                                                                  {"127.0.0.1", "[::1]"},
                                                                  {"a b", "a b"},
                                                                  {"a", "[a"}};
  for (const auto& [left, right] : others) EXPECT_FALSE(IsSameHost(left, right, 80)) << left << " " << right;
  EXPECT_TRUE(IsSameHost("a", "a:443", 443));
  EXPECT_FALSE(IsSameHost("a", "a:80", 443));
}

TEST(HostTest, AddressesOfTheLoopback) {
  for (const std::string_view text : {"127.0.0.1", "127.255.0.9:80", "[::1]:80", "[0:0::1]", "[::ffff:127.1.1.1]"}) {
    EXPECT_TRUE(IsLoopback(*ParseHost(text))) << text;
  }
  for (const std::string_view text : {"localhost", "128.0.0.1", "[::2]", "[::127.0.0.1]", "[::ffff:10.0.0.1]",
                                      "127.0.0.1.evil.example", "127.1", ""}) {
    EXPECT_FALSE(IsLoopback(*ParseHost(text))) << text;
  }
}

}  // namespace
}  // namespace inferd::net
