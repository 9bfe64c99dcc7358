#include "kserve/cluster/guard/change_cause.h"

#include <gtest/gtest.h>

#include "kserve/cluster/object_fixture.h"

namespace inferd::cluster {
namespace {

constexpr const char* kSeenService =
    "{metadata: {name: iris, namespace: m, generation: 3, labels: {a: b}}, spec: {x: 1}, status: {observedGeneration: "
    "3}}";

class CauseMemoryTest : public testing::Test {
 protected:
  CauseMemoryTest() { inputs_.owner = DigestOfUsersPart(service_); }
  std::string Kind(WrittenBefore before = {.by_us = true}) { return memory_.CauseOf(service_, inputs_, before).kind; }
  void Edit(const char* text) {
    service_ = Yaml(text);
    inputs_.owner = DigestOfUsersPart(service_);
  }

  manifest::Value service_ = Yaml(kSeenService);
  DecisionInputs inputs_ = {.owner = "",
                            .configuration = std::make_shared<const Configuration>(),
                            .runtime = "ClusterServingRuntime \"a\"",
                            .runtime_digest = "1",
                            .features = "knative"};
  CauseMemory memory_;
};

TEST_F(CauseMemoryTest, AtTheStartTheObjectsSayIt) {
  EXPECT_EQ(Kind(), "start");
  EXPECT_EQ(Kind({.by_us = false}), "adoption");
  EXPECT_EQ(Kind({.by_us = true, .as_wanted = true}), "objects");
}

TEST_F(CauseMemoryTest, LaterItIsWhatIsAnother) {
  memory_.NoteApplied({"m", "iris"}, inputs_);
  EXPECT_EQ(Kind(), "references");
  inputs_.features = "";
  EXPECT_EQ(Kind(), "features");
  inputs_.runtime_digest = "2";
  const ChangeCause cause = memory_.CauseOf(service_, inputs_, {.by_us = true});
  EXPECT_EQ(cause.kind, "runtime");
  EXPECT_EQ(cause.object, "ClusterServingRuntime \"a\"");
  EXPECT_EQ(cause.about, "the ClusterServingRuntime \"a\" has changed");
  inputs_.configuration = std::make_shared<const Configuration>();
  EXPECT_EQ(Kind(), "configuration");
  memory_.Clear();
  EXPECT_EQ(Kind(), "start");
}

TEST_F(CauseMemoryTest, AChangeOfItsOwnIsTheUsers) {
  memory_.NoteApplied({"m", "iris"}, inputs_);
  for (const char* changed : {"{metadata: {name: iris, namespace: m, labels: {a: b}}, spec: {x: 2}}",
                              "{metadata: {name: iris, namespace: m, labels: {a: c}}, spec: {x: 1}}",
                              "{metadata: {name: iris, namespace: m, labels: {a: b}, annotations: {a: b}}, spec: {x: "
                              "1}}"}) {
    Edit(changed);
    inputs_.configuration = std::make_shared<const Configuration>();
    EXPECT_EQ(Kind(), "user") << changed;
    EXPECT_EQ(Kind(), "user") << "it was not applied yet";
  }
  memory_.NoteApplied({"m", "iris"}, inputs_);
  EXPECT_EQ(Kind(), "references");
}

// For a new controller, the service's status reveals a change that was made between two controllers.
TEST_F(CauseMemoryTest, AtTheStartTheGenerationTellsOfAChange) {
  Edit("{metadata: {name: iris, namespace: m, generation: 4}, status: {observedGeneration: 3}}");
  EXPECT_EQ(Kind(), "user");
  Edit("{metadata: {name: iris, namespace: m, generation: 4}, status: {observedGeneration: 4}}");
  EXPECT_EQ(Kind(), "user") << "its status was written, and its objects were not";
  memory_.Clear();
  Edit("{metadata: {name: iris, namespace: m, generation: 4}, status: {observedGeneration: 3}}");
  EXPECT_EQ(Kind({.by_us = false}), "adoption") << "it is another controller's status";
  Edit("{metadata: {name: iris, namespace: m, generation: 5}, spec: {x: 2}, status: {observedGeneration: 3}}");
  EXPECT_EQ(Kind({.by_us = false}), "user") << "it was changed while it was held";
}

TEST_F(CauseMemoryTest, OneThatIsForgottenBeginsAnew) {
  memory_.NoteApplied({"m", "iris"}, inputs_);
  memory_.Forget({"m", "iris"});
  EXPECT_EQ(Kind(), "start");
}

}  // namespace
}  // namespace inferd::cluster
