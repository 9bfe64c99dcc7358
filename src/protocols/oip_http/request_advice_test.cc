#include "protocols/oip_http/request_advice.h"

#include <gtest/gtest.h>

#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"

namespace inferd::oip_http {
namespace {

std::string ModelAdvice(const core::Catalog& catalog, std::string_view model, std::string_view version = "") {
  return WithModelAdvice(base::NotFound("gone"), {.model = model, .version = version}, catalog).message();
}

core::IndexEntry Entry(int version) {
  core::IndexEntry entry;
  entry.name = "digits";
  entry.version = std::to_string(version);
  return entry;
}

core::TensorSpec Input(std::string name) {
  return {.name = std::move(name), .datatype = tensor::DataType::kFp32, .shape = {-1, 64}};
}

TEST(RequestAdviceTest, UnknownModelsGetANearName) {
  core::FakeCatalog catalog;
  catalog.names = {"digit\x1b", "digits", "simple"};
  catalog.versions = std::unexpected(base::NotFound("no such model"));
  EXPECT_EQ(ModelAdvice(catalog, "digit"), "gone (did you mean 'digits'?)");
  EXPECT_EQ(ModelAdvice(catalog, "resnet"), "gone; GET /v2/models lists the models");
  EXPECT_EQ(ModelAdvice(catalog, std::string(100'000, 'd')), "gone; GET /v2/models lists the models");
  catalog.names.clear();
  EXPECT_EQ(ModelAdvice(catalog, "digit"), "gone; the server has no models: its log says why");
}

TEST(RequestAdviceTest, UnknownVersionsGetThoseOfTheModel) {
  core::FakeCatalog catalog;
  catalog.names = {"digits"};
  catalog.versions = std::vector<core::IndexEntry>{Entry(7)};
  EXPECT_EQ(ModelAdvice(catalog, "digits", "8"), "gone; its only version is 7");
  for (int version = 8; version < 20; ++version) catalog.versions->push_back(Entry(version));
  EXPECT_EQ(ModelAdvice(catalog, "digits", "1"), "gone; its latest versions are 15, 16, 17, 18, 19");
}

TEST(RequestAdviceTest, AModelThatComesBackIsNotANearName) {
  core::FakeCatalog catalog;
  catalog.names = {"digits"};
  catalog.versions = std::unexpected(base::NotFound("left meanwhile"));
  EXPECT_EQ(ModelAdvice(catalog, "digits", "1"), "gone; GET /v2/models lists the models");
}

TEST(RequestAdviceTest, UnreadableRequestsGetTheModelsInputs) {
  core::FakePinned pinned;
  pinned.signature_.inputs = {Input("image")};
  const base::Status bad = base::InvalidArgument("bad");
  EXPECT_EQ(WithInputAdvice(bad, "digits", pinned).message(), "bad; model 'digits' takes 'image' FP32 [-1,64]");
  pinned.signature_.inputs.clear();
  EXPECT_EQ(WithInputAdvice(bad, "digits", pinned).message(), "bad");
}

TEST(RequestAdviceTest, OtherErrorsStayAsTheyAre) {
  core::FakeCatalog catalog;
  core::FakePinned pinned;
  pinned.signature_.inputs = {Input("image")};
  EXPECT_EQ(WithModelAdvice(base::Unavailable("busy"), {.model = "a", .version = ""}, catalog).message(), "busy");
  EXPECT_EQ(WithInputAdvice(base::ResourceExhausted("full"), "digits", pinned).message(), "full");
}

TEST(RequestAdviceTest, TheListOfInputsIsBounded) {
  core::FakePinned pinned;
  for (int i = 0; i < 1000; ++i) pinned.signature_.inputs.push_back(Input(std::string(1000, 'x')));
  const std::string text = WithInputAdvice(base::InvalidArgument("bad"), std::string(1000, 'm'), pinned).message();
  EXPECT_LT(text.size(), 1500);
  EXPECT_TRUE(text.ends_with(", ..."));
}

}  // namespace
}  // namespace inferd::oip_http
