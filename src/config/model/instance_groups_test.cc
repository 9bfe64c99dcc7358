#include "config/model/instance_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model/instances.h"
#include "config/model/model_config_parser.h"

namespace inferd::config {
namespace {

using ::testing::HasSubstr;

base::Result<ModelConfig> Resolve(const std::string& groups, const CompletionOptions& options) {
  auto parsed = ParseModelConfig(
      "backend: \"fake\" input { name: \"x\" data_type: TYPE_FP32 dims: 1 } "
      "output { name: \"y\" data_type: TYPE_FP32 dims: 1 } " +
          groups,
      "c");
  EXPECT_TRUE(parsed.has_value()) << parsed.error().ToString();
  return ResolveModel(*std::move(parsed), "m", {}, options);
}

// Returns "<name>@<kind and device> ..." of all instances.
std::string Places(const ModelConfig& config) {
  std::string text;
  for (const Instance& instance : ExpandInstances(config)) {
    const bool on_gpu = instance.kind == InstanceKind::kGpu;
    const std::string place = on_gpu                                  ? std::to_string(instance.device)
                              : instance.kind == InstanceKind::kModel ? "model"
                                                                      : "cpu";
    text += (text.empty() ? "" : " ") + InstanceName(config, instance) + "@" + place;
  }
  return text;
}

struct Case {
  const char* groups;
  EngineGpus gpus;
  const char* places;
};

TEST(InstanceGroupsTest, WhereInstancesAre) {
  const EngineGpus none = {.count = 0, .preferred = true};
  const EngineGpus on_request = {.count = 2, .preferred = false};
  const EngineGpus preferred = {.count = 2, .preferred = true};
  const Case cases[] = {
      {"", none, "m_0_0@cpu"},
      {"", on_request, "m_0_0@cpu"},
      {"", preferred, "m_0_0@0 m_0_0@1"},
      {"instance_group { count: 2 }", none, "m_0_0@cpu m_0_1@cpu"},
      {"instance_group { count: 2 }", on_request, "m_0_0@cpu m_0_1@cpu"},
      {"instance_group { count: 2 }", preferred, "m_0_0@0 m_0_1@0 m_0_0@1 m_0_1@1"},
      // As in Triton, an automatic group with a missing GPU runs on the CPU.
      {"instance_group { gpus: [ 1 ] }", none, "m_0_0@cpu"},
      {"instance_group { gpus: [ 1 ] }", on_request, "m_0_0@1"},
      {"instance_group { gpus: [ 1, 2 ] }", on_request, "m_0_0@cpu"},
      {"instance_group { gpus: [ -1 ] }", preferred, "m_0_0@cpu"},
      {"instance_group { kind: KIND_GPU }", on_request, "m_0_0@0 m_0_0@1"},
      {"instance_group { kind: KIND_GPU gpus: [ 1, 0 ] count: 2 name: \"fast\" }", on_request,
       "fast_0@1 fast_1@1 fast_0@0 fast_1@0"},
      {"instance_group { kind: KIND_MODEL }", preferred, "m_0_0@model"},
      {"instance_group { kind: KIND_CPU } instance_group { kind: KIND_GPU gpus: 0 }", preferred, "m_0_0@cpu m_1_0@0"},
  };
  for (const Case& each : cases) {
    CompletionOptions options;
    options.gpus["fake"] = each.gpus;
    const auto config = Resolve(each.groups, options);
    ASSERT_TRUE(config.has_value()) << config.error().ToString();
    EXPECT_EQ(Places(*config), each.places) << each.groups << " with " << each.gpus.count;
    const bool listed = std::string(each.groups).find("gpus") != std::string::npos;
    const bool ignored = listed && config->instance_groups[0].kind == InstanceKind::kCpu;
    EXPECT_EQ(config->unacted_fields.size(), ignored && config->instance_groups.size() == 1 ? 1u : 0u) << each.groups;
  }
}

TEST(InstanceGroupsTest, TheConfigurationThatIsShownNamesTheGpus) {
  CompletionOptions options;
  options.gpus["fake"] = {.count = 2, .preferred = true};
  const auto config = Resolve("", options);
  ASSERT_TRUE(config.has_value());
  EXPECT_THAT(config->document->ToJson(),
              HasSubstr(R"("instance_group":[{"name":"m","kind":"KIND_GPU","count":1,"gpus":[0,1])"));
}

TEST(InstanceGroupsTest, AGroupHasNoMoreInstancesOnItsGpusThanOneMayHave) {
  std::string gpus;
  for (int i = 0; i < 600; ++i) gpus += i == 0 ? "0" : ",0";
  const auto config = Resolve("instance_group { kind: KIND_GPU count: 2 gpus: [" + gpus + "] }", {});
  ASSERT_FALSE(config.has_value());
  EXPECT_THAT(config.error().message(), HasSubstr("must have at most 1024 instances on all its GPUs together"));
}

// The TensorRT Inference Server of 2018 shows groups as written, and executes those on missing GPUs on the CPU.
TEST(InstanceGroupsTest, AbsentGpusAreKnownOfEnginesThatAreThere) {
  CompletionOptions options;
  options.absent_gpus_are_cpus = true;
  options.gpus["fake"] = {};
  EXPECT_EQ(Places(*Resolve("instance_group { kind: KIND_GPU gpus: 3 }", options)), "m_0_0@cpu");
  options.gpus["fake"] = {.count = 4};
  EXPECT_EQ(Places(*Resolve("instance_group { kind: KIND_GPU gpus: 3 }", options)), "m_0_0@3");
  EXPECT_EQ(Places(*Resolve("instance_group { gpus: 3 }", options)), "m_0_0@3");
}

}  // namespace
}  // namespace inferd::config
