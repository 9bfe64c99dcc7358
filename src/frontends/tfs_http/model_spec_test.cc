#include "frontends/tfs_http/model_spec.h"

#include <gtest/gtest.h>

#include "frontends/tfs_http/handler_fixture.h"

namespace inferd::tfs_http {
namespace {

ModelSpec Spec(std::string_view version, std::string_view label = "") {
  return ModelSpec(Route{.endpoint = Endpoint::kStatus, .model = "m", .version = version, .label = label});
}

TEST(ModelSpecTest, VersionsAreNumbers) {
  EXPECT_EQ(Spec("").version, "");
  EXPECT_EQ(Spec("00123").version, "123");
  EXPECT_EQ(Spec("000").version, "0");
  EXPECT_EQ(Spec("0").version, "0");
  EXPECT_TRUE(CheckModelSpec(Spec("9223372036854775807")).ok());
  EXPECT_EQ(CheckModelSpec(Spec("9223372036854775808")).message(),
            "Failed to convert version: 9223372036854775808 to numeric.");
}

TEST(ModelSpecTest, NoVersionHasALabel) {
  EXPECT_EQ(CheckModelSpec(Spec("", "stable")), base::InvalidArgument("Unrecognized servable version label: stable"));
}

TEST(ModelSpecTest, WhatIsNotFoundIsSaidInTensorflowServingsWords) {
  FakeDispatcher dispatcher;
  EXPECT_EQ(FindModel(dispatcher, Spec("")).error(), base::NotFound("Servable not found for request: Latest(m)"));
  dispatcher.models["m"] = Model({});
  EXPECT_TRUE(FindModel(dispatcher, Spec("")).has_value());
  EXPECT_TRUE(FindModel(dispatcher, Spec("01")).has_value());
  EXPECT_EQ(FindModel(dispatcher, Spec("99")).error(),
            base::NotFound("Servable not found for request: Specific(m, 99)"));
}

}  // namespace
}  // namespace inferd::tfs_http
