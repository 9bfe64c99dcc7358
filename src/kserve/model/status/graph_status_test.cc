#include "kserve/model/status/graph_status.h"

#include <gtest/gtest.h>

#include "data/manifest/print.h"

namespace inferd::model {
namespace {

TEST(GraphStatus, OfAGraphThatAnswers) {
  EXPECT_EQ(manifest::ToJson(MakeGraphStatus({.url = "http://a.b", .generation = 2})),
            R"({"conditions":[{"status":"True","type":"ConfigurationsReady"},{"status":"True","type":"Ready"},)"
            R"({"status":"True","type":"RoutesReady"}],"observedGeneration":2,"url":"http://a.b"})");
}

TEST(GraphStatus, AStepWithoutItsServiceIsSaid) {
  EXPECT_EQ(manifest::ToJson(MakeGraphStatus({.url = "http://a.b", .configurations = {"False", "R", "m"}})),
            R"({"conditions":[{"message":"m","reason":"R","status":"False","type":"ConfigurationsReady"},)"
            R"({"message":"m","reason":"R","status":"False","type":"Ready"},{"status":"True","type":"RoutesReady"}],)"
            R"("observedGeneration":1})");
}

TEST(GraphStatus, AGraphThatCannotRunHasNoRoutes) {
  EXPECT_EQ(manifest::ToJson(MakeGraphStatus({.configurations = {"False", "R", "m"}, .routes = {"False", "R", "m"}})),
            R"({"conditions":[{"message":"m","reason":"R","status":"False","type":"ConfigurationsReady"},)"
            R"({"message":"m","reason":"R","status":"False","type":"Ready"},)"
            R"({"message":"m","reason":"R","status":"False","type":"RoutesReady"}],"observedGeneration":1})");
}

TEST(GraphStatus, WhatIsWrongGoesBeforeWhatIsNotKnownYet) {
  EXPECT_EQ(ReadyOf({.configurations = {"Unknown", "A", "a"}, .routes = {"False", "B", "b"}}).reason, "B");
  EXPECT_EQ(ReadyOf({.configurations = {"Unknown", "A", "a"}, .routes = {"Unknown", "B", "b"}}).reason, "A");
  EXPECT_EQ(ReadyOf({.routes = {"Unknown", "B", "b"}}).reason, "B");
  EXPECT_EQ(manifest::ToJson(*MakeGraphStatus({.configurations = {"Unknown", "", ""}}).Find("conditions")),
            R"([{"status":"Unknown","type":"ConfigurationsReady"},{"status":"Unknown","type":"Ready"},)"
            R"({"status":"True","type":"RoutesReady"}])");
}

}  // namespace
}  // namespace inferd::model
