#include "kserve/gateway/route_table.h"

#include <gtest/gtest.h>

#include <map>

namespace inferd::gateway {
namespace {

Route To(const std::string& name, std::string prefix = "", std::string suffix = "") {
  Route route;
  route.path_prefix = std::move(prefix);
  route.path_suffix = std::move(suffix);
  route.destinations.push_back({.backend = std::make_shared<Backend>(name, BackendOptions{})});
  return route;
}

std::string NameOf(const Route* route) { return route == nullptr ? "" : route->destinations[0].backend->name(); }

TEST(RouteTableTest, FindsByHostAndPath) {
  RouteTable table;
  table.Add("iris.default.example.com", To("explainer", "/v1/models/", ":explain"));
  table.Add("iris.default.example.com", To("predictor", "/v1"));
  table.Add("[::1]", To("loopback"));
  EXPECT_EQ(NameOf(table.Find("iris.default.example.com", "/v1/models/iris:explain")), "explainer");
  EXPECT_EQ(NameOf(table.Find("iris.default.example.com", "/v1/models/iris:predict")), "predictor");
  EXPECT_EQ(NameOf(table.Find("IRIS.default.example.com:8080", "/v1/models/iris:predict")), "predictor");
  EXPECT_EQ(NameOf(table.Find("[::1]:8080", "/")), "loopback");
  EXPECT_EQ(NameOf(table.Find("iris.default.example.com.:8080", "/v1/models/iris:predict")), "predictor");
  for (const std::string host : {"iris.default.example.com:evil.example", "iris.default.example.com:80:80", "[::1]evil",
                                 "iris.default.example.com..", "user@iris.default.example.com"}) {
    EXPECT_EQ(table.Find(host, "/v1/models/iris:predict"), nullptr) << host;
    EXPECT_FALSE(table.HasHost(host)) << host;
  }
  EXPECT_EQ(table.Find("iris.default.example.com", "/v2"), nullptr);
  EXPECT_TRUE(table.HasHost("iris.default.example.com"));
  for (const std::string& host : {std::string("other.default.example.com"), std::string(), std::string(300, 'a')}) {
    EXPECT_EQ(table.Find(host, "/v1"), nullptr);
    EXPECT_FALSE(table.HasHost(host));
  }
  table.Add("*", To("any"));
  EXPECT_EQ(NameOf(table.Find("other.default.example.com", "/v1")), "any");
  EXPECT_EQ(table.Find("no host", "/v1"), nullptr);
}

TEST(RouteTableTest, OfAllHostsTheLongestPathIsFirst) {
  const std::string deep = "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18";
  RouteTable table;
  table.Add("*", To("no slash", "odd"));
  table.Add("*", To("any"));
  table.Add("*", To("graph", "/serving/default/g", "/serving/default/g"));
  table.Add("*", To("below graph", "/serving/default/g/"));
  table.Add("*", To("digits", "/serving/default/digits/"));
  table.Add("*", To("explainer", "/serving/default/digits/v1/models/", ":explain"));
  table.Add("*", To("within", "/serving/def"));
  table.Add("*", To("deep", deep + "/"));
  const std::map<std::string, std::string> cases = {
      {"", "any"},
      {"/", "any"},
      {"//", "any"},
      {"/serving", "any"},
      {"/serving/default", "within"},
      {"/serving/default/g", "graph"},
      {"/serving/default/g/", "below graph"},
      {"/serving/default/g/more", "below graph"},
      {"/serving/default/gg", "within"},
      {"/serving/default/digits", "within"},
      {"/serving/default/digits/", "digits"},
      {"/serving/default/digits/v1/models/m:predict", "digits"},
      {"/serving/default/digits/v1/models/m:explain", "explainer"},
      {deep + "/x", "deep"},
      {deep, "any"},
      {"odd", "no slash"},
      {std::string(100'000, '/'), "any"},
  };
  for (const auto& [path, name] : cases) EXPECT_EQ(NameOf(table.Find("h", path)), name) << path.substr(0, 100);
}

TEST(RouteTableTest, AnOwnersRoutesAreReplacedAndCopiesStayAsTheyWere) {
  RouteTable table;
  table.Replace("b", {{"shared", To("b")}, {"of-b", To("b")}, {"*", To("b", "/b/")}});
  table.Replace("a", {{"shared", To("a", "/a")}, {"*", To("a", "/a/")}});
  const RouteTable before = table;
  EXPECT_EQ(NameOf(table.Find("shared", "/a")), "a") << "by the owners' names";
  EXPECT_EQ(NameOf(table.Find("shared", "/x")), "b");
  table.Replace("b", {{"new", To("b2")}, {"new", To("never")}, {"*", To("b2", "/b/c/")}});
  EXPECT_EQ(table.Find("shared", "/x"), nullptr);
  EXPECT_FALSE(table.HasOwnHost("of-b"));
  EXPECT_EQ(NameOf(table.Find("new", "/")), "b2");
  EXPECT_EQ(NameOf(table.Find("h", "/b/c/d")), "b2");
  EXPECT_EQ(table.Find("h", "/b/d"), nullptr);
  table.Replace("a", {});
  table.Replace("b", {});
  table.Replace("none", {});
  EXPECT_FALSE(table.HasHost("h"));
  EXPECT_FALSE(table.HasOwnHost("shared"));
  EXPECT_EQ(NameOf(before.Find("shared", "/x")), "b");
  EXPECT_EQ(NameOf(before.Find("of-b", "/x")), "b");
  EXPECT_EQ(NameOf(before.Find("h", "/b/d")), "b");
}

TEST(RouteTableTest, SharesAreByLotAndTagsByName) {
  Route route;
  route.destinations.push_back({.backend = std::make_shared<Backend>("old", BackendOptions{}), .percent = 80});
  route.destinations.push_back(
      {.backend = std::make_shared<Backend>("new", BackendOptions{}), .percent = 20, .tag = "latest"});
  route.destinations.push_back(
      {.backend = std::make_shared<Backend>("tagged", BackendOptions{}), .percent = 0, .tag = "prev"});
  std::map<std::string, int> counts;
  for (uint32_t lot = 0; lot < 100; ++lot) ++counts[RouteTable::Choose(route, "", lot)->backend->name()];
  EXPECT_EQ(counts, (std::map<std::string, int>{{"old", 80}, {"new", 20}}));
  EXPECT_EQ(RouteTable::Choose(route, "prev", 5)->backend->name(), "tagged");
  EXPECT_EQ(RouteTable::Choose(route, "latest", 5)->backend->name(), "new");
  EXPECT_EQ(RouteTable::Choose(route, "unknown", 5)->backend->name(), "old");
  EXPECT_EQ(RouteTable::Choose(Route(), "", 5), nullptr);
}

}  // namespace
}  // namespace inferd::gateway
