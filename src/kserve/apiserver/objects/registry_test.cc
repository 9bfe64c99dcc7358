#include "kserve/apiserver/objects/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"

namespace inferd::apiserver {
namespace {

using manifest::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kService =
    "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris},"
    " spec: {predictor: {model: {modelFormat: {name: onnx}, storageUri: /m}}}}";

Value Read(std::string_view text) { return std::move(manifest::ReadYaml(text, "test")->front()); }

class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    for (const std::string_view name : {"default", "models"}) {
      EXPECT_TRUE(
          registry_.Create(Kind("v1", "Namespace"), "", Read("{metadata: {name: " + std::string(name) + "}}"), {})
              .has_value());
    }
  }

  static const ResourceType& Kind(std::string_view api_version, std::string_view kind) {
    return *FindKind(api_version, kind);
  }
  static const ResourceType& Services() { return Kind("serving.kserve.io/v1beta1", "InferenceService"); }
  static const ResourceType& ConfigMaps() { return Kind("v1", "ConfigMap"); }

  // Returns the object, or Kubernetes' reason and text.
  static Value Object(const Registry::Written& written) {
    if (!written.has_value()) {
      ADD_FAILURE() << written.error().message;
      return Value::Map();
    }
    return ParseStored((*written)->json);
  }
  static std::string Error(const Registry::Written& written) {
    return written.has_value()
               ? "OK"
               : std::to_string(written.error().code) + " " + written.error().reason + ": " + written.error().message;
  }
  Value Get(const ResourceType& type = Services(), std::string_view name = "iris") {
    return Object(registry_.Get(type, "default", name));
  }
  Registry::Written Create(std::string_view text, const WriteOptions& options = {}) {
    return registry_.Create(Services(), "default", Read(text), options);
  }
  Registry::Written Patch(PatchType how, std::string_view patch, const WriteOptions& options = {},
                          std::string_view name = "iris") {
    bool made = false;
    return registry_.Patch(Services(), "default", name, how, Read(patch), options, made);
  }

  base::FakeClock clock_;
  const std::unique_ptr<apiserver::ObjectStore> store_ = *apiserver::ObjectStore::Open("");
  const Admission admission_{*store_, [] { return model::InferenceServiceConfig(); }};
  Registry registry_{*store_, admission_, clock_};
};

TEST_F(RegistryTest, WhatIsMadeHasAnIdentity) {
  const Value object = Object(Create(kService));
  EXPECT_EQ(TextAt(object, {"metadata", "namespace"}), "default");
  EXPECT_EQ(TextAt(object, {"metadata", "generation"}), "1");
  EXPECT_EQ(TextAt(object, {"metadata", "uid"}).size(), 36u);
  EXPECT_EQ(TextAt(object, {"metadata", "creationTimestamp"}), "1970-01-01T00:00:01Z");
  EXPECT_EQ(TextAt(object, {"metadata", "resourceVersion"}), std::to_string(store_->revision()));
  EXPECT_EQ(Error(Create(kService)), "409 AlreadyExists: inferenceservices.serving.kserve.io \"iris\" already exists");
  EXPECT_EQ(Error(registry_.Get(Services(), "models", "iris")),
            "404 NotFound: inferenceservices.serving.kserve.io \"iris\" not found");
}

TEST_F(RegistryTest, NamesAreMadeWhereTheyAreAskedFor) {
  const auto made = registry_.Create(ConfigMaps(), "default", Read("{metadata: {generateName: job-}}"), {});
  EXPECT_THAT(TextAt(Object(made), {"metadata", "name"}), ::testing::MatchesRegex("job-[a-z0-9]+"));
}

TEST_F(RegistryTest, RefusesWhatIsNoObjectOfTheKind) {
  const struct {
    std::string_view text, error;
  } cases[] = {
      {"{kind: Pod, metadata: {name: a}}",
       "400 BadRequest: the kind in the data (Pod) does not match the expected kind"},
      {"{apiVersion: v1, metadata: {name: a}}", "400 BadRequest: the API version in the data (v1) does not match"},
      {"{metadata: {name: a, namespace: models}}",
       "400 BadRequest: the namespace of the provided object does not match"},
      {"{metadata: 1}", "400 BadRequest: metadata must be a map"},
      {"{metadata: {name: a, resourceVersion: '5'}}", "400 BadRequest: resourceVersion should not be set"},
      {"{metadata: {}}", "422 Invalid: InferenceService.serving.kserve.io \"\" is invalid: metadata.name:"},
      {"{metadata: {name: A_}}", "422 Invalid"},
      {"{metadata: {name: a}, spec: {predictor: {minReplicas: x}}}",
       "422 Invalid: InferenceService.serving.kserve.io \"a\" is invalid: spec.predictor.minReplicas: Invalid value: "
       "must "
       "be an integer"},
      {"{metadata: {name: a}, spec: {predictor: {minReplicas: -1, model: {modelFormat: {name: x}}}}}",
       "403 MinReplicas cannot be less than 0.: admission webhook \"inferenceservice.kserve-webhook-server.validator\" "
       "denied the request: MinReplicas cannot be less than 0."},
  };
  for (const auto& each : cases) EXPECT_THAT(Error(Create(each.text)), HasSubstr(each.error)) << each.text;
  EXPECT_EQ(Error(registry_.Create(Services(), "none", Read(kService), {})),
            "404 NotFound: namespaces \"none\" not found");
  EXPECT_EQ(Error(registry_.Create(Kind("v1", "Pod"), "default", Read("{metadata: {name: a}}"), {})).substr(0, 3),
            "405");
  EXPECT_TRUE(store_->List(Services().resource(), "").objects.empty());
}

TEST_F(RegistryTest, WhatIsDeniedIsDeniedInAnyForm) {
  const auto secret = registry_.Create(Kind("v1", "Secret"), "default",
                                       Read("{metadata: {name: s}, stringData: {k: v}, data: {b: eA==}}"), {});
  EXPECT_EQ(manifest::ToJson(*Object(secret).Find("data")), R"({"b":"eA==","k":"dg=="})");
  EXPECT_THAT(
      Error(registry_.Create(Kind("v1", "Secret"), "default", Read("{metadata: {name: t}, data: {b: '-'}}"), {})),
      HasSubstr("data.b: Invalid value: is no base64"));
  EXPECT_THAT(Error(registry_.Create(ConfigMaps(), "default", Read("{metadata: {name: t}, data: {b: 1}}"), {})),
              HasSubstr("data.b: Invalid value: must be a string"));
}

TEST_F(RegistryTest, UpdatesHoldTheirVersion) {
  Value object = Object(Create(kService));
  const std::string first = TextAt(object, {"metadata", "resourceVersion"});
  object.Find("spec")->Find("predictor")->Set("minReplicas", Value::Int(2));
  object.MapAt("metadata").Set("uid", Value::String(TextAt(object, {"metadata", "uid"})));
  const Value changed = Object(registry_.Update(Services(), "default", "iris", object, {}));
  EXPECT_EQ(TextAt(changed, {"metadata", "generation"}), "2");
  EXPECT_NE(TextAt(changed, {"metadata", "resourceVersion"}), first);
  EXPECT_EQ(
      Error(registry_.Update(Services(), "default", "iris", object, {})),
      "409 Conflict: Operation cannot be fulfilled on inferenceservices.serving.kserve.io \"iris\": the object has "
      "been modified; please apply your changes to the latest version and try again");
  object.MapAt("metadata").Remove("resourceVersion");
  EXPECT_THAT(Error(registry_.Update(Services(), "default", "iris", object, {})),
              HasSubstr("must be specified for an update"));
  // An update without a change is not written.
  const int64_t revision = store_->revision();
  EXPECT_TRUE(registry_.Update(Services(), "default", "iris", changed, {}).has_value());
  EXPECT_EQ(store_->revision(), revision);
}

TEST_F(RegistryTest, StatusIsWrittenByItsSubresourceAlone) {
  Create("{metadata: {name: iris}, status: {url: x}, spec: {predictor: {model: {modelFormat: {name: onnx}}}}}");
  EXPECT_EQ(Get().Find("status"), nullptr);
  Patch(PatchType::kMerge, "{status: {url: x}, metadata: {labels: {a: b}}}");
  EXPECT_EQ(Get().Find("status"), nullptr);
  EXPECT_EQ(TextAt(Get(), {"metadata", "labels", "a"}), "b");
  Patch(PatchType::kMerge, "{status: {url: x}, metadata: {labels: {a: c}}, spec: {predictor: {minReplicas: 7}}}",
        {.status = true});
  EXPECT_EQ(TextAt(Get(), {"status", "url"}), "x");
  EXPECT_EQ(TextAt(Get(), {"metadata", "labels", "a"}), "b");
  EXPECT_EQ(TextAt(Get(), {"metadata", "generation"}), "1");
}

TEST_F(RegistryTest, Patches) {
  Create(kService);
  Patch(PatchType::kMerge, "{spec: {predictor: {minReplicas: 3, model: {storageUri: null}}}}");
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "minReplicas"}), "3");
  EXPECT_EQ(FieldAt(Get(), {"spec", "predictor", "model", "storageUri"}), nullptr);
  Patch(PatchType::kJson, "[{op: replace, path: /spec/predictor/minReplicas, value: 4}]");
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "minReplicas"}), "4");
  EXPECT_EQ(Error(Patch(PatchType::kJson, "[{op: remove, path: /none}]")).substr(0, 11), "422 Invalid");
  EXPECT_THAT(Error(Patch(PatchType::kMerge, "{metadata: {name: other}}")),
              HasSubstr("the name of the object (other) does not match the name on the URL (iris)"));
  EXPECT_THAT(Error(Patch(PatchType::kMerge, "[]")), HasSubstr("the patch must be a map"));
  EXPECT_THAT(Error(Patch(PatchType::kMerge, "{spec: {predictor: {minReplicas: -1}}}")),
              HasSubstr("denied the request"));
  EXPECT_THAT(Error(Patch(PatchType::kMerge, "{metadata: {uid: x}}")), HasSubstr("UID in precondition: x"));
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "minReplicas"}), "4");
}

TEST_F(RegistryTest, WhatIsAppliedIsMadeOrChanged) {
  bool made = false;
  const WriteOptions options = {.manager = "me"};
  ASSERT_TRUE(
      registry_.Patch(Services(), "default", "iris", PatchType::kApply, Read(kService), options, made).has_value());
  EXPECT_TRUE(made);
  const int64_t revision = store_->revision();
  ASSERT_TRUE(
      registry_.Patch(Services(), "default", "iris", PatchType::kApply, Read(kService), options, made).has_value());
  EXPECT_FALSE(made);
  EXPECT_EQ(store_->revision(), revision);
  Patch(PatchType::kMerge, "{spec: {predictor: {model: {storageUri: /other}}}}", {.manager = "editor"});
  EXPECT_EQ(Error(Patch(PatchType::kApply, kService, options)),
            "409 Conflict: Apply failed with 1 conflict: conflict with \"editor\" using serving.kserve.io/v1beta1: "
            ".spec.predictor.model.storageUri");
  EXPECT_EQ(Error(Patch(PatchType::kApply, kService, {.manager = "me", .force = true})), "OK");
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "model", "storageUri"}), "/m");
}

TEST_F(RegistryTest, AManagerThatAppliesAnotherValueStillHasTheField) {
  const auto service = [](std::string_view more) {
    return "{metadata: {name: iris}, spec: {predictor: {" + std::string(more) +
           "model: {modelFormat: {name: onnx}, storageUri: /m}}}}";
  };
  for (const std::string field : {"canaryTrafficPercent", "minReplicas", "timeout"}) {
    for (const char* const value : {"", "1", "2", "2", "3", ""}) {
      const std::string more = *value == '\0' ? "" : field + ": " + value + ", ";
      EXPECT_EQ(Error(Patch(PatchType::kApply, service(more), {.manager = "me"})), "OK") << more;
      EXPECT_EQ(TextAt(Get(), {"spec", "predictor", field}), value) << more;
      EXPECT_EQ(Get().Find("metadata")->Find("managedFields")->items().size(), 1u) << more;
    }
  }
  EXPECT_EQ(Error(Patch(PatchType::kApply, service("timeout: 5, "), {.manager = "other"})), "OK");
  EXPECT_THAT(
      Error(Patch(PatchType::kApply, service("timeout: 6, "), {.manager = "me"})),
      HasSubstr("1 conflict: conflict with \"other\" using serving.kserve.io/v1beta1: .spec.predictor.timeout"));
}

TEST_F(RegistryTest, AFieldThatIsNullIsNotApplied) {
  const std::string_view with =
      "{metadata: {name: iris, labels: {a: b}}, spec: {predictor: {model: {modelFormat: {name: onnx}, storageUri: /m}, "
      "minReplicas: 2}}}";
  const std::string_view without =
      "{metadata: {name: iris, labels: null}, spec: {predictor: {model: {modelFormat: {name: onnx}, storageUri: /m}, "
      "minReplicas: null}}}";
  Patch(PatchType::kApply, with, {.manager = "me"});
  Patch(PatchType::kApply, "{metadata: {labels: {a: b}}}", {.manager = "other"});
  EXPECT_EQ(Error(Patch(PatchType::kApply, without, {.manager = "me"})), "OK");
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "minReplicas"}), "");
  EXPECT_EQ(TextAt(Get(), {"metadata", "labels", "a"}), "b") << "which the other manager still applies";
}

TEST_F(RegistryTest, AnAppliedStatusLeavesTheManagersOfTheRest) {
  EXPECT_THAT(Error(Patch(PatchType::kApply, "{status: {url: a}}", {.manager = "me", .status = true})),
              HasSubstr("404 NotFound"));
  Patch(PatchType::kApply, kService, {.manager = "me"});
  for (const char* const status : {"{status: {url: a, x: 1}}", "{status: {url: b}}"}) {
    EXPECT_EQ(Error(Patch(PatchType::kApply, status, {.manager = "me", .status = true})), "OK");
  }
  EXPECT_EQ(manifest::ToJson(*Get().Find("status")), R"({"url":"b"})");
  const std::string_view moved = "{metadata: {name: iris}, spec: {predictor: {model: {modelFormat: {name: onnx}}}}}";
  EXPECT_EQ(Error(Patch(PatchType::kApply, moved, {.manager = "me"})), "OK");
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "model", "storageUri"}), "");
  EXPECT_EQ(TextAt(Get(), {"status", "url"}), "b");
}

// A model of Kubernetes' rule for objects whose data is a map of texts.
class ApplyModel {
 public:
  using Data = std::map<std::string, std::string>;

  // Returns the number of conflicts.
  size_t Apply(const std::string& manager, const Data& wanted, bool force) {
    size_t conflicts = 0;
    for (const auto& [key, text] : wanted) {
      if (!data_.contains(key) || data_[key] == text) continue;
      conflicts += owners_[key].size() - owners_[key].count(manager);
    }
    if (conflicts > 0 && !force) return conflicts;
    for (const auto& [key, text] : wanted) {
      if (data_.contains(key) && data_[key] != text) owners_[key].clear();
      data_[key] = text;
      owners_[key].insert(manager);
    }
    std::erase_if(data_, [&](const auto& pair) {
      return !wanted.contains(pair.first) && owners_[pair.first].erase(manager) > 0 && owners_[pair.first].empty();
    });
    return 0;
  }
  void Update(const std::string& manager, const Data& after) {
    for (const auto& [key, text] : after) {
      if (!data_.contains(key) || data_[key] != text) owners_[key] = {manager};
    }
    data_ = after;
    std::erase_if(owners_, [&](const auto& pair) { return !after.contains(pair.first); });
  }
  const Data& data() const { return data_; }

 private:
  Data data_;
  std::map<std::string, std::set<std::string>> owners_;
};

TEST_F(RegistryTest, RandomWritesFollowKubernetesRule) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same sequence each time
  const auto pick = [&](int below) { return static_cast<int>(random() % below); };
  ApplyModel model;
  const Value base = Read("{metadata: {name: c}, data: {base: x}}");
  ASSERT_TRUE(registry_.Create(ConfigMaps(), "default", base, {.manager = "creator"}).has_value());
  model.Update("creator", {{"base", "x"}});
  for (int step = 0; step < 200; ++step) {
    ApplyModel::Data data;
    for (const char* const key : {"a", "b", "c", "d"}) {
      if (pick(2) == 0) data[key] = std::to_string(pick(3));
    }
    const auto object = [&] { return Value::Map({{"metadata", Read("{name: c}")}, {"data", Value::StringMap(data)}}); };
    const std::string manager(1, static_cast<char>('m' + pick(3)));
    bool made = false;
    if (pick(4) == 0) {
      data["base"] = "x";
      model.Update("update " + manager, data);
      ASSERT_EQ(Error(registry_.Update(ConfigMaps(), "default", "c", object(), {.manager = manager})), "OK");
    } else {
      const bool force = pick(3) == 0;
      const size_t conflicts = model.Apply("apply " + manager, data, force);
      const auto written = registry_.Patch(ConfigMaps(), "default", "c", PatchType::kApply, object(),
                                           {.manager = manager, .force = force}, made);
      const std::string text = "Apply failed with " + std::to_string(conflicts) + " conflict";
      if (conflicts > 0) {
        ASSERT_THAT(Error(written), HasSubstr(text)) << step;
      } else {
        ASSERT_EQ(Error(written), "OK") << step;
      }
    }
    ASSERT_TRUE(*Get(ConfigMaps(), "c").Find("data") == Value::StringMap(model.data()))
        << step << ": " << manifest::ToJson(Get(ConfigMaps(), "c"));
  }
}

TEST_F(RegistryTest, WhatKServeRewritesCanBeAppliedAgain) {
  const std::string_view legacy = "{metadata: {name: iris}, spec: {predictor: {onnx: {storageUri: /m}}}}";
  EXPECT_EQ(Error(Patch(PatchType::kApply, legacy, {.manager = "me"})), "OK");
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "model", "modelFormat", "name"}), "onnx");
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "model", "protocolVersion"}), "v2");
  const std::string_view moved = "{metadata: {name: iris}, spec: {predictor: {onnx: {storageUri: /n}}}}";
  EXPECT_EQ(Error(Patch(PatchType::kApply, moved, {.manager = "me"})), "OK");
  EXPECT_EQ(TextAt(Get(), {"spec", "predictor", "model", "storageUri"}), "/n");
}

TEST_F(RegistryTest, DeletesOnceFinalizersAreDone) {
  Create(kService);
  Patch(PatchType::kMerge, "{metadata: {finalizers: [x]}}");
  bool gone = true;
  EXPECT_TRUE(registry_.Delete(Services(), "default", "iris", {}, gone).has_value());
  EXPECT_FALSE(gone);
  EXPECT_NE(FieldAt(Get(), {"metadata", "deletionTimestamp"}), nullptr);
  EXPECT_TRUE(registry_.Delete(Services(), "default", "iris", {}, gone).has_value());
  Patch(PatchType::kMerge, "{metadata: {finalizers: null}}");
  EXPECT_EQ(store_->Get(Registry::KeyOf(Services(), "default", "iris")), nullptr);
}

TEST_F(RegistryTest, DeletesWhatIsMeant) {
  Create(kService);
  bool gone = false;
  EXPECT_THAT(Error(registry_.Delete(Services(), "default", "iris", {.uid = "x"}, gone)), HasSubstr("409 Conflict"));
  EXPECT_THAT(Error(registry_.Delete(Services(), "default", "iris", {.resource_version = "1"}, gone)),
              HasSubstr("409 Conflict"));
  EXPECT_EQ(Error(registry_.Delete(Services(), "default", "iris", {.dry_run = true}, gone)), "OK");
  EXPECT_EQ(Error(registry_.Delete(Services(), "default", "iris", {}, gone)), "OK");
  EXPECT_TRUE(gone);
  EXPECT_THAT(Error(registry_.Delete(Services(), "default", "iris", {}, gone)), HasSubstr("404 NotFound"));
}

TEST_F(RegistryTest, ANamespaceTakesItsObjectsWithIt) {
  ASSERT_TRUE(registry_.Create(ConfigMaps(), "models", Read("{metadata: {name: a}}"), {}).has_value());
  bool gone = false;
  EXPECT_EQ(Error(registry_.Delete(Kind("v1", "Namespace"), "", "models", {}, gone)), "OK");
  EXPECT_TRUE(gone);
  EXPECT_TRUE(store_->List(ConfigMaps().resource(), "").objects.empty());
  EXPECT_THAT(Error(registry_.Delete(Kind("v1", "Namespace"), "", "default", {}, gone)), HasSubstr("403 Forbidden"));
}

TEST_F(RegistryTest, ANamespaceIsTerminatingWhileSomethingIsLeftInIt) {
  const ResourceType& namespaces = Kind("v1", "Namespace");
  ASSERT_TRUE(registry_.Create(ConfigMaps(), "models", Read("{metadata: {name: a, finalizers: [example.com/f]}}"), {})
                  .has_value());
  ASSERT_TRUE(registry_.Create(ConfigMaps(), "models", Read("{metadata: {name: b}}"), {}).has_value());
  bool gone = false;
  EXPECT_EQ(Error(registry_.Delete(namespaces, "", "models", {.dry_run = true}, gone)), "OK");
  EXPECT_EQ(store_->List(ConfigMaps().resource(), "models").objects.size(), 2U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Error(registry_.Delete(namespaces, "", "models", {}, gone)), "OK");
    EXPECT_FALSE(gone);
    const auto left = store_->List(ConfigMaps().resource(), "models").objects;
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left.front()->key.name, "a");
  }
  const auto phase = [&] {
    return TextAt(ParseStored((*registry_.Get(namespaces, "", "models"))->json), {"status", "phase"});
  };
  EXPECT_EQ(phase(), "Terminating");
  EXPECT_EQ(
      Error(registry_.Create(ConfigMaps(), "models", Read("{metadata: {name: c}}"), {})),
      "403 Forbidden: configmaps \"c\" is forbidden: unable to create new content in namespace models because it is "
      "being terminated");
  const auto change = [](const char* path, Value to) {
    return [path, to](const Value& live) -> ApiResult<Value> {
      Value edited = live;
      edited.MapAt("metadata").Set(path, to);
      return edited;
    };
  };
  // A change of the namespace does not end it.
  EXPECT_EQ(Error(registry_.Change(namespaces, "", "models", change("labels", Read("{a: b}")), {})), "OK");
  EXPECT_EQ(phase(), "Terminating");
  EXPECT_FALSE(registry_.FinishNamespace("models"));
  EXPECT_EQ(Error(registry_.Change(ConfigMaps(), "models", "a", change("finalizers", Value::List({})), {})), "OK");
  EXPECT_TRUE(registry_.FinishNamespace("models"));
  EXPECT_FALSE(registry_.Get(namespaces, "", "models").has_value());
  EXPECT_EQ(Error(registry_.Create(ConfigMaps(), "default", Read("{metadata: {name: c}}"), {})), "OK");
}

TEST_F(RegistryTest, ANamespaceWithFinalizersOfItsOwnWaitsForThem) {
  const ResourceType& namespaces = Kind("v1", "Namespace");
  ASSERT_TRUE(
      registry_.Create(namespaces, "", Read("{metadata: {name: kept, finalizers: [example.com/f]}}"), {}).has_value());
  bool gone = false;
  EXPECT_EQ(Error(registry_.Delete(namespaces, "", "kept", {}, gone)), "OK");
  EXPECT_FALSE(gone);
  EXPECT_FALSE(registry_.FinishNamespace("kept"));
  EXPECT_FALSE(registry_.FinishNamespace("default")) << "which is not Terminating";
}

TEST_F(RegistryTest, DryRunsWriteNothing) {
  EXPECT_EQ(Error(Create(kService, {.dry_run = true})), "OK");
  EXPECT_TRUE(store_->List(Services().resource(), "").objects.empty());
  Create(kService);
  EXPECT_EQ(Error(Patch(PatchType::kMerge, "{metadata: {labels: {a: b}}}", {.dry_run = true})), "OK");
  EXPECT_EQ(FieldAt(Get(), {"metadata", "labels"}), nullptr);
}

TEST_F(RegistryTest, DeepAndLargeObjectsAreRefused) {
  Create(kService);
  std::string deep;
  for (int i = 0; i < 50; ++i) deep += "{a: ";
  deep += "1" + std::string(50, '}');
  EXPECT_EQ(Error(Patch(PatchType::kMerge, "{metadata: {annotations: {x: z}}, other: " + deep + "}")), "OK");
  const std::string path = [] {
    std::string text = "/other";
    for (int i = 0; i < 49; ++i) text += "/a";
    return text;
  }();
  EXPECT_THAT(Error(Patch(PatchType::kJson, "[{op: replace, path: " + path + ", value: " + deep + "}]")),
              HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(Error(Patch(PatchType::kMerge, "{metadata: {annotations: {x: " + std::string(1'600'000, 'y') + "}}}")),
              HasSubstr("413 RequestEntityTooLarge"));
}

}  // namespace
}  // namespace inferd::apiserver
