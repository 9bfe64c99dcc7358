#include "kserve/model/resolve/runtime_selection.h"

#include <gmock/gmock.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using testing::ElementsAre;

// Returns runtimes from rows of a name ("name" or "namespace/name") and a spec.
std::vector<ServingRuntime> Runtimes(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::vector<ServingRuntime> runtimes;
  for (const auto& [name, spec] : rows) {
    const size_t slash = name.find('/');
    std::string yaml = RuntimeYaml(name.substr(slash + 1), spec);
    if (slash != std::string::npos) {
      yaml.replace(yaml.find("ClusterServingRuntime"), 21, "ServingRuntime");
      yaml.replace(yaml.find("  name:"), 2, "  namespace: " + name.substr(0, slash) + "\n  ");
    }
    runtimes.push_back(ParseAs<ServingRuntime>(yaml));
  }
  return runtimes;
}

ModelSpec Model(std::string format, std::optional<std::string> version = {}, std::optional<std::string> protocol = {}) {
  ModelSpec model;
  model.format = {std::move(format), std::move(version)};
  model.protocol_version = std::move(protocol);
  return model;
}

RuntimeSelection Selected(const ModelSpec& model, const std::vector<ServingRuntime>& runtimes) {
  std::vector<const ServingRuntime*> pointers;
  for (const ServingRuntime& runtime : runtimes) pointers.push_back(&runtime);
  return SelectRuntime(model, "models", pointers);
}

// Returns "name: reason" for each candidate.
std::vector<std::string> Candidates(const RuntimeSelection& selection) {
  std::vector<std::string> lines;
  for (const RuntimeCandidate& candidate : selection.candidates) {
    lines.push_back(candidate.runtime->metadata.name + ": " + candidate.reason);
  }
  return lines;
}

std::string Name(const RuntimeSelection& selection) {
  return selection.runtime == nullptr ? "" : selection.runtime->metadata.name;
}

constexpr const char* kSklearn1 = "  supportedModelFormats: [{name: sklearn, version: '1', autoSelect: true}]\n";

TEST(RuntimeSelectionTest, EachRefusalHasItsReason) {
  const auto runtimes = Runtimes({
      {"a-other",
       "  supportedModelFormats: [{name: onnx, autoSelect: true}, {name: pmml}]\n  protocolVersions: [v1]\n"},
      {"b-version",
       "  supportedModelFormats: [{name: sklearn, version: '1.0', autoSelect: true}]\n"
       "  protocolVersions: [v1]\n"},
      {"c-by-name", "  supportedModelFormats: [{name: sklearn, version: '1'}]\n  protocolVersions: [v1]\n"},
      {"d-disabled", std::string(kSklearn1) + "  disabled: true\n  protocolVersions: [v1]\n"},
      {"e-several", std::string(kSklearn1) + "  multiModel: true\n  protocolVersions: [v1]\n"},
      {"f-protocol", std::string(kSklearn1) + "  protocolVersions: [v1]\n"},
      {"g-fits", std::string(kSklearn1) + "  protocolVersions: [v2]\n"},
      {"elsewhere/h", std::string(kSklearn1) + "  protocolVersions: [v2]\n"},
  });
  const RuntimeSelection selection = Selected(Model("sklearn", "1", "v2"), runtimes);
  EXPECT_EQ(Name(selection), "g-fits");
  EXPECT_EQ(selection.protocol_version, "v2");
  EXPECT_THAT(
      Candidates(selection),
      ElementsAre("a-other: does not support the format sklearn; it supports onnx, pmml",
                  "b-version: supports sklearn in version '1.0', not '1'; versions are compared as texts",
                  "c-by-name: supports sklearn:1 only for models that name it in `runtime`: autoSelect is not true "
                  "for that format",
                  "d-disabled: is disabled", "e-several: is for several models in one server (multiModel)",
                  "f-protocol: does not speak v2; it speaks v1", "g-fits: "));
}

TEST(RuntimeSelectionTest, NoneIsSaidAsKServeSaysIt) {
  const RuntimeSelection selection = Selected(Model("sklearn"), {});
  EXPECT_EQ(selection.runtime, nullptr);
  EXPECT_EQ(selection.failure_reason, "NoSupportingRuntime");
  EXPECT_EQ(selection.failure_message, "No runtime found to support specified framework/version");
  EXPECT_EQ(selection.failure_event, "no runtime found to support predictor with model type: {sklearn <nil>}");
  EXPECT_EQ(selection.failure_details, "");
}

TEST(RuntimeSelectionTest, WhyItIsNoneIsSaidInShort) {
  const auto runtimes = Runtimes({{"a", "  supportedModelFormats: [{name: onnx, autoSelect: true}]\n"},
                                  {"b", std::string(kSklearn1) + "  disabled: true\n"},
                                  {"c", "  supportedModelFormats: [{name: pmml, autoSelect: true}]\n"}});
  EXPECT_EQ(Selected(Model("sklearn"), runtimes).failure_details,
            "b is disabled; 2 other runtimes do not support the format sklearn");
  EXPECT_EQ(Selected(Model("paddle"), {runtimes.front()}).failure_details,
            "1 runtime does not support the format paddle");
  ModelSpec named = Model("sklearn");
  named.runtime = "a";
  EXPECT_EQ(Selected(named, runtimes).failure_details, "a does not support the format sklearn; it supports onnx");
  EXPECT_EQ(Selected(Model("onnx"), runtimes).failure_details, "");
}

struct OrderCase {
  const char* name;
  std::vector<std::pair<std::string, std::string>> rows;  // the first is to be selected
  const char* why;
};
class RuntimeOrderTest : public testing::TestWithParam<OrderCase> {};

TEST_P(RuntimeOrderTest, GoesBefore) {
  for (const bool reversed : {false, true}) {
    auto rows = GetParam().rows;
    if (reversed) std::ranges::reverse(rows);
    const std::vector<ServingRuntime> runtimes = Runtimes(rows);
    const RuntimeSelection selection = Selected(Model("sklearn"), runtimes);
    EXPECT_EQ(Name(selection), "first");
    ASSERT_EQ(selection.candidates.size(), 2U);
    EXPECT_TRUE(selection.candidates[1].supports);
    EXPECT_EQ(selection.candidates[1].reason, "could serve it, but first " + std::string(GetParam().why));
  }
}

// Returns a runtime for sklearn with further fields of the format and of the spec.
std::string Sklearn(const char* format, const char* spec = "") {
  return "  supportedModelFormats: [{name: sklearn, autoSelect: true" + std::string(format) + "}]\n" + spec;
}

INSTANTIATE_TEST_SUITE_P(
    Orders, RuntimeOrderTest,
    testing::Values(
        OrderCase{"namespace",
                  {{"models/first", Sklearn("", "  protocolVersions: [v2]\n")}, {"a", Sklearn(", priority: 9")}},
                  "is of the namespace"},
        OrderCase{"priority",
                  {{"first", Sklearn(", priority: 2", "  protocolVersions: [v2]\n")},
                   {"a", Sklearn(", priority: 1", "  protocolVersions: [v1]\n")}},
                  "has a higher priority for the format"},
        OrderCase{"no priority",
                  {{"first", Sklearn(", priority: -5")}, {"a", Sklearn("")}},
                  "has a higher priority for the format"},
        OrderCase{"protocol",
                  {{"first", Sklearn("", "  protocolVersions: [grpc-v2, v1]\n")},
                   {"a", Sklearn("", "  protocolVersions: [v2]\n")}},
                  "has a lower protocol version"},
        OrderCase{"none named",
                  {{"first", Sklearn("", "  protocolVersions: [grpc-v2]\n")}, {"a", Sklearn("")}},
                  "has a lower protocol version"},
        OrderCase{"name", {{"first", Sklearn("")}, {"second", Sklearn("")}}, "has a name that goes before"}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(RuntimeSelectionTest, TheNewestGoesBefore) {
  std::vector<ServingRuntime> runtimes = Runtimes({{"a", kSklearn1}, {"b", kSklearn1}});
  runtimes[0].metadata.creation_timestamp = "2023-01-01T00:00:00Z";
  runtimes[1].metadata.creation_timestamp = "2023-01-02T00:00:00Z";
  const RuntimeSelection selection = Selected(Model("sklearn"), runtimes);
  EXPECT_EQ(Name(selection), "b");
  EXPECT_EQ(selection.candidates.at(1).reason, "could serve it, but b is newer");
}

TEST(RuntimeSelectionTest, AModelWithoutAVersionTakesAny) {
  const auto runtimes = Runtimes({{"a",
                                   "  supportedModelFormats: [{name: sklearn, version: '7', autoSelect: true}]\n"
                                   "  protocolVersions: [grpc-v2, v2]\n"}});
  const RuntimeSelection selection = Selected(Model("sklearn"), runtimes);
  EXPECT_EQ(Name(selection), "a");
  EXPECT_EQ(selection.protocol_version, "v2");
}

struct NamedCase {
  const char* spec;
  const char* reason;
  const char* message;
  const char* event;
};
class NamedRuntimeTest : public testing::TestWithParam<NamedCase> {};

TEST_P(NamedRuntimeTest, IsRefusedAsKServeDoes) {
  ModelSpec model = Model("sklearn", "1", "v2");
  model.runtime = "mine";
  std::vector<ServingRuntime> runtimes;
  if (*GetParam().spec != '\0') runtimes = Runtimes({{"mine", GetParam().spec}});
  const RuntimeSelection selection = Selected(model, runtimes);
  EXPECT_EQ(selection.runtime, nullptr);
  EXPECT_EQ(selection.failure_reason, GetParam().reason);
  EXPECT_EQ(selection.failure_message, GetParam().message);
  EXPECT_EQ(selection.failure_event, GetParam().event);
}

INSTANTIATE_TEST_SUITE_P(
    Refusals, NamedRuntimeTest,
    testing::Values(NamedCase{"", "RuntimeNotRecognized", "Waiting for runtime to become available",
                              "No ServingRuntimes or ClusterServingRuntimes with the name: mine"},
                    NamedCase{"  disabled: true\n", "RuntimeDisabled", "Specified runtime is disabled",
                              "specified runtime mine is disabled"},
                    NamedCase{"  protocolVersions: [v1]\n", "NoSupportingRuntime",
                              "Specified runtime does not support specified protocol version",
                              "specified runtime mine does not support specified protocol version"},
                    NamedCase{"  supportedModelFormats: [{name: sklearn, version: '0', autoSelect: true}]\n",
                              "NoSupportingRuntime", "Specified runtime does not support specified framework/version",
                              "specified runtime mine does not support specified framework/version"}));

TEST(NamedRuntimeTest, AutoSelectDoesNotCount) {
  ModelSpec model = Model("sklearn");
  model.runtime = "mine";
  const auto runtimes = Runtimes({{"mine", "  supportedModelFormats: [{name: sklearn}]\n"},
                                  {"models/mine", "  supportedModelFormats: [{name: sklearn}]\n  multiModel: true\n"}});
  const RuntimeSelection selection = Selected(model, runtimes);
  EXPECT_EQ(selection.runtime, &runtimes[1]) << "the namespace's goes before the cluster's";
  EXPECT_EQ(selection.protocol_version, "") << "it names none";
}

TEST(RuntimeSelectionTest, ARuntimeThatCannotBeReadIsNamedWithItsField) {
  std::vector<ServingRuntime> runtimes = Runtimes({{"a", kSklearn1}});
  runtimes[0].fault = "spec.containers[0].image: must be a string, not a list";
  const std::string why = "a cannot be used: spec.containers[0].image: must be a string, not a list";
  ModelSpec model = Model("sklearn");
  const RuntimeSelection automatic = Selected(model, runtimes);
  EXPECT_EQ(automatic.runtime, nullptr);
  EXPECT_EQ(automatic.failure_reason + ": " + automatic.failure_details, "NoSupportingRuntime: " + why);
  model.runtime = "a";
  const RuntimeSelection named = Selected(model, runtimes);
  EXPECT_EQ(named.runtime, nullptr);
  EXPECT_EQ(named.failure_reason + ": " + named.failure_event,
            "InvalidPredictorSpec: specified runtime a cannot be used");
  EXPECT_EQ(named.failure_details, why);
}

TEST(RuntimeSelectionTest, ARuntimeWithoutContainersIsNoRuntime) {
  std::vector<ServingRuntime> runtimes = Runtimes({{"a", kSklearn1}});
  runtimes[0].containers.clear();
  const RuntimeSelection selection = Selected(Model("sklearn"), runtimes);
  EXPECT_EQ(selection.runtime, nullptr);
  EXPECT_EQ(selection.failure_reason, "InvalidPredictorSpec");
}

}  // namespace
}  // namespace inferd::model
