#include "gateway/route_table.h"

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
  EXPECT_EQ(table.Find("iris.default.example.com", "/v2"), nullptr);
  EXPECT_TRUE(table.HasHost("iris.default.example.com"));
  for (const std::string& host : {std::string("other.default.example.com"), std::string(), std::string(300, 'a')}) {
    EXPECT_EQ(table.Find(host, "/v1"), nullptr);
    EXPECT_FALSE(table.HasHost(host));
  }
  table.Add("*", To("any"));
  EXPECT_EQ(NameOf(table.Find("other.default.example.com", "/v1")), "any");
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
