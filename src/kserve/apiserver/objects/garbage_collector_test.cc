#include "kserve/apiserver/objects/garbage_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/read.h"
#include "data/manifest/value_path.h"

namespace inferd::apiserver {
namespace {

using manifest::Text;
using manifest::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Uses ConfigMaps that own each other.
class GarbageCollectorTest : public ::testing::Test {
 protected:
  GarbageCollectorTest() {
    EXPECT_TRUE(
        registry_.Create(*FindKind("v1", "Namespace"), "", Parse("{metadata: {name: default}}"), {}).has_value());
  }

  static Value Parse(const std::string& text) { return std::move(manifest::ReadYaml(text, "test")->front()); }
  static const ResourceType& Maps() { return *FindKind("v1", "ConfigMap"); }

  std::string UidOf(const std::string& name) {
    const auto found = registry_.Get(Maps(), "default", name);
    return found.has_value() ? TextAt(ParseStored((*found)->json), {"metadata", "uid"}) : "gone-" + name;
  }
  // Returns an owner reference, as YAML.
  std::string To(const std::string& owner, const std::string& more = "") {
    return "{apiVersion: v1, kind: ConfigMap, name: " + owner + ", uid: " + UidOf(owner) + more + "}";
  }
  ApiResult<apiserver::ObjectPtr> TryMake(const std::string& name, const std::string& references) {
    return registry_.Create(Maps(), "default",
                            Parse("{metadata: {name: " + name + ", ownerReferences: [" + references + "]}}"), {});
  }
  void Make(const std::string& name, const std::string& references = "") {
    EXPECT_TRUE(TryMake(name, references).has_value()) << name;
  }
  // Deletes the object. Returns true if it is gone at once.
  bool Delete(const std::string& name, DeletePropagation propagation = DeletePropagation::kBackground) {
    bool gone = false;
    EXPECT_TRUE(registry_.Delete(Maps(), "default", name, {.propagation = propagation}, gone).has_value()) << name;
    return gone;
  }
  void Collect() {
    // Each run processes what the run before has written.
    for (int i = 0; i < 5; ++i) collector_->Run();
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& object : store_->List("configmaps", "").objects) names.push_back(object->key.name);
    return names;
  }
  size_t OwnersOfMap(const std::string& name) {
    return OwnersOf(ParseStored((*registry_.Get(Maps(), "default", name))->json)).size();
  }

  base::FakeClock clock_;
  const std::unique_ptr<apiserver::ObjectStore> store_ = *apiserver::ObjectStore::Open("");
  const Admission admission_{*store_, [] { return model::InferenceServiceConfig(); }};
  Registry registry_{*store_, admission_, clock_};
  std::optional<GarbageCollector> collector_{registry_};
};

TEST_F(GarbageCollectorTest, WhatBelongsToAnObjectGoesBehindIt) {
  Make("a");
  Make("b", To("a"));
  Make("c", To("b"));
  Make("other");
  Collect();
  EXPECT_THAT(Names(), ElementsAre("a", "b", "c", "other"));
  EXPECT_TRUE(Delete("a"));
  Collect();
  EXPECT_THAT(Names(), ElementsAre("other"));
}

TEST_F(GarbageCollectorTest, OneOfSeveralOwnersIsEnough) {
  Make("a");
  Make("b");
  Make("c", To("a") + ", " + To("b"));
  Delete("a");
  Collect();
  EXPECT_THAT(Names(), ElementsAre("b", "c"));
  EXPECT_EQ(OwnersOfMap("c"), 1u);
  Delete("b");
  Collect();
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnotherObjectOfTheNameIsNotTheOwner) {
  Make("a");
  Make("b", To("a"));
  Delete("a");
  Make("a");
  Collect();
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(GarbageCollectorTest, AnOwnerOfAnUnknownKindIsThere) {
  Make("b", "{apiVersion: apps/v1, kind: Deployment, name: d, uid: x}");
  Collect();
  EXPECT_THAT(Names(), ElementsAre("b"));
}

TEST_F(GarbageCollectorTest, OrphansStay) {
  Make("a");
  Make("b", To("a"));
  Collect();
  EXPECT_FALSE(Delete("a", DeletePropagation::kOrphan));
  Collect();
  EXPECT_THAT(Names(), ElementsAre("b"));
  EXPECT_EQ(OwnersOfMap("b"), 0u);
}

TEST_F(GarbageCollectorTest, InTheForegroundTheOwnerGoesLast) {
  Make("a");
  Make("b", To("a", ", blockOwnerDeletion: true"));
  Make("c", To("b", ", blockOwnerDeletion: true"));
  // Its own finalizer must be removed first.
  EXPECT_TRUE(registry_
                  .Change(Maps(), "default", "c",
                          [](const Value& live) -> ApiResult<Value> {
                            Value edited = live;
                            edited.MapAt("metadata").Set("finalizers", Value::List({Text("x/y")}));
                            return edited;
                          },
                          {})
                  .has_value());
  Collect();
  EXPECT_FALSE(Delete("a", DeletePropagation::kForeground));
  Collect();
  EXPECT_THAT(Names(), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(registry_
                  .Change(Maps(), "default", "c",
                          [](const Value& live) -> ApiResult<Value> { return WithoutFinalizer(live, "x/y"); }, {})
                  .has_value());
  Collect();
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, InTheForegroundWhatDoesNotBlockGoesBehind) {
  Make("a");
  Make("b", To("a"));
  Collect();
  EXPECT_FALSE(Delete("a", DeletePropagation::kForeground));
  Collect();
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ANewOneGoesOnWhereTheOneBeforeEnded) {
  Make("a");
  Make("b", To("a"));
  Make("c");
  Make("d", To("c"));
  Collect();
  Delete("a");
  Delete("c", DeletePropagation::kOrphan);
  collector_.emplace(registry_);
  Collect();
  EXPECT_THAT(Names(), ElementsAre("d"));
}

TEST_F(GarbageCollectorTest, ReferencesAreChecked) {
  const auto message = [&](const std::string& references) {
    const auto made = TryMake("x", references);
    return made.has_value() ? "" : made.error().message;
  };
  EXPECT_EQ(message("{apiVersion: v1, kind: ConfigMap, name: a}"),
            "ConfigMap \"x\" is invalid: metadata.ownerReferences[0].uid: Invalid value: uid must not be empty");
  EXPECT_EQ(
      message("{apiVersion: v1, kind: A, name: a, uid: u, controller: true}, {apiVersion: v1, kind: A, name: b, "
              "uid: v, controller: true}"),
      "ConfigMap \"x\" is invalid: metadata.ownerReferences: Invalid value: Only one reference can have Controller "
      "set to true");
}

TEST_F(GarbageCollectorTest, ANamespaceGoesOnceItsObjectsHaveNoFinalizers) {
  const ResourceType& namespaces = *FindKind("v1", "Namespace");
  ASSERT_TRUE(registry_.Create(namespaces, "", Parse("{metadata: {name: models}}"), {}).has_value());
  ASSERT_TRUE(
      registry_.Create(Maps(), "models", Parse("{metadata: {name: a, finalizers: [example.com/f]}}"), {}).has_value());
  Collect();
  bool gone = false;
  ASSERT_TRUE(registry_.Delete(namespaces, "", "models", {}, gone).has_value());
  // A new collector, as after a restart, finds the namespace too.
  collector_.emplace(registry_);
  Collect();
  EXPECT_TRUE(registry_.Get(namespaces, "", "models").has_value());
  ASSERT_TRUE(registry_
                  .Change(Maps(), "models", "a",
                          [](const Value& live) -> ApiResult<Value> { return WithoutFinalizer(live, "example.com/f"); },
                          {})
                  .has_value());
  Collect();
  EXPECT_FALSE(registry_.Get(namespaces, "", "models").has_value());
}

}  // namespace
}  // namespace inferd::apiserver
