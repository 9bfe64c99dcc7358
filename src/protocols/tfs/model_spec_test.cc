#include "protocols/tfs/model_spec.h"

#include <gtest/gtest.h>

#include "serving/core/fake_dispatcher.h"

namespace inferd::tfs {
namespace model_spec_test {

ModelSpec Spec(std::string_view version, std::string_view label = "") { return ModelSpec("m", version, label); }

base::Result<std::shared_ptr<const core::PinnedModel>> Find(core::FakeDispatcher& dispatcher, ModelSpec spec) {
  return FindModel(dispatcher, spec);
}

TEST(SignatureTest, IsFoundByItsName) {
  core::FakePinned model;
  EXPECT_EQ(FindSignature(model, ""), 0u) << "models that do not name their only signature";
  EXPECT_EQ(FindSignature(model, "serving_default"), 0u);
  EXPECT_EQ(FindSignature(model, "other"), std::nullopt);
  EXPECT_EQ(MethodName(model.signature_), "tensorflow/serving/predict");
  model.signature_.name = "first";
  core::ModelSignature second;
  second.name = "second";
  second.method_name = "tensorflow/serving/regress";
  model.AddSignature(second);
  EXPECT_EQ(FindSignature(model, "first"), 0u);
  EXPECT_EQ(FindSignature(model, "second"), 1u);
  EXPECT_EQ(FindSignature(model, ""), std::nullopt) << "the first one is V2 clients' default, not theirs";
  EXPECT_EQ(MethodName(second), "tensorflow/serving/regress");
  EXPECT_EQ(MethodName(model.signature_), "");
  second.name = "serving_default";
  model.AddSignature(second);
  EXPECT_EQ(FindSignature(model, ""), 2u);
}

TEST(SignatureTest, SomeAreOnlyShown) {
  core::FakePinned model;
  core::ModelSignature other;
  other.name = "other";
  model.AddSignature(other);
  other.name = "__init";
  model.ShowSignature(other);
  const auto all = SignaturesToShow(model);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1]->name, "other");
  EXPECT_EQ(all[2]->name, "__init");
  EXPECT_FALSE(FindSignature(model, "__init").has_value());
  EXPECT_TRUE(CheckServed(model, "__init").ok()) << "for clients there is none";
  other.name = "sparse";
  other.not_served = "tensor 'x' is sparse";
  model.ShowSignature(other);
  EXPECT_EQ(CheckServed(model, "sparse"),
            base::Unimplemented("signature 'sparse' is not served: tensor 'x' is sparse"));
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

TEST(ModelSpecTest, ALabelNamesAVersion) {
  core::FakeDispatcher dispatcher;
  dispatcher.models["m"] = std::make_shared<core::FakePinned>();
  dispatcher.labels = {{"stable", "1"}, {"next", "2"}};
  ModelSpec stable = Spec("", "stable");
  EXPECT_EQ(FindModel(dispatcher, stable).value()->version(), "1");
  EXPECT_EQ(stable.version, "1");
  EXPECT_EQ(Find(dispatcher, Spec("", "other")).error(),
            base::InvalidArgument("Unrecognized servable version label: other"));
  EXPECT_EQ(Find(dispatcher, Spec("", "next")).error(),
            base::NotFound("Servable not found for request: Specific(m, 2)"));
}

TEST(ModelSpecTest, WhatIsNotFoundIsSaidInTensorflowServingsWords) {
  core::FakeDispatcher dispatcher;
  EXPECT_EQ(Find(dispatcher, Spec("")).error(), base::NotFound("Servable not found for request: Latest(m)"));
  dispatcher.models["m"] = std::make_shared<core::FakePinned>();
  EXPECT_TRUE(Find(dispatcher, Spec("")).has_value());
  EXPECT_TRUE(Find(dispatcher, Spec("01")).has_value());
  EXPECT_EQ(Find(dispatcher, Spec("99")).error(), base::NotFound("Servable not found for request: Specific(m, 99)"));
}

TEST(ModelSpecTest, WhatIsNotReadyIsNotFoundWhereTheServerItselfSaysSo) {
  core::FakeDispatcher dispatcher;
  dispatcher.unavailable = "loading";
  ModelSpec spec = Spec("");
  EXPECT_EQ(FindModel(dispatcher, spec).error(), base::Unavailable("loading"));
  EXPECT_EQ(FindModel(dispatcher, spec, Unready::kNotFound).error(),
            base::NotFound("Servable not found for request: Latest(m)"));
}

}  // namespace model_spec_test
}  // namespace inferd::tfs
