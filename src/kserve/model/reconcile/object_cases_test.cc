// Compares all objects that a cluster gets for InferenceServices and InferenceGraphs with expected files. The input
// cases/NAME.yaml must give the objects in cases/NAME.objects.yaml. INFERD_WRITE_CASES=1 rewrites the expected files.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/objects_fixture.h"
#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/pods/inject/sidecar.h"
#include "kserve/model/reconcile/graph_objects.h"
#include "kserve/model/reconcile/rendering.h"
#include "kserve/model/reconcile/unheeded_fields.h"
#include "kserve/model/resolve/defaulting.h"

namespace inferd::model {
namespace {

namespace fs = std::filesystem;

fs::path Root() { return fs::read_symlink("/proc/self/exe").parent_path() / "../../.."; }

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(Root() / "src/kserve/model/reconcile/cases")) {
    const fs::path name = entry.path().stem();
    if (name.extension().empty()) names.push_back(name);
  }
  return names;
}

std::vector<Object> ReadAll(const fs::path& file) {
  auto documents = manifest::ReadFile(file);
  EXPECT_TRUE(documents.has_value()) << (documents.has_value() ? "" : documents.error().message());
  return documents.has_value() ? ReadObjects(*std::move(documents)) : std::vector<Object>();
}

// Checks that the webhook would change nothing in a pod made from the template.
void ExpectNothingToInject(const manifest::Value& object, const InferenceServiceConfig& config) {
  if (object.Find("kind")->text() != "Deployment") return;
  const manifest::Value& pod = *object.Find("spec")->Find("template");
  // The webhook receives only the pods of services.
  if (manifest::FieldAt(pod, {"metadata", "labels", kInferenceServiceLabel}) == nullptr) return;
  const auto injected = InjectPodDocument(pod, "models", {.config = config, .find = nullptr});
  ASSERT_TRUE(injected.has_value()) << injected.error().message();
  EXPECT_EQ(*injected, pod);
}

// Checks that containers of inferd's own image may run in a namespace that enforces the pod security standard
// "restricted", and that the rest of the pod does not prevent it.
void ExpectRestricted(const manifest::Value& object) {
  const manifest::Value* const pod_spec = manifest::FieldAt(object, {"spec", "template", "spec"});
  if (pod_spec == nullptr) return;
  const manifest::Value restricted = RestrictedContext();
  for (const std::string_view key : {"initContainers", "containers"}) {
    const manifest::Value* const containers = pod_spec->Find(key);
    if (containers == nullptr) continue;
    for (const manifest::Value& container : containers->items()) {
      if (!IsOwnImage(manifest::TextAt(container, {"image"}))) continue;
      for (const manifest::Member& field : restricted.members()) {
        const manifest::Value* const has = manifest::FieldAt(container, {"securityContext", field.key});
        EXPECT_TRUE(has != nullptr && *has == field.value) << manifest::ToYaml(container) << field.key;
      }
    }
  }
}

class ObjectCasesTest : public testing::TestWithParam<std::string> {
 protected:
  std::string Render(const std::vector<Object>& objects, const ReviewContext& context,
                     std::span<const Object* const> pointers) {
    const InferenceServiceConfig config = context.config == nullptr ? InferenceServiceConfig() : *context.config;
    std::string text;
    for (const Object& object : objects) {
      if (const auto* const graph = std::get_if<InferenceGraph>(&object.typed)) {
        text += RenderOne(RenderGraph(*graph, pointers, context), config);
      }
      const auto* const service = std::get_if<InferenceService>(&object.typed);
      if (service == nullptr) continue;
      const auto desired = RenderService(*service, pointers, context, true);
      if (desired.has_value()) {
        for (const auto& field : UnheededFields(ApplyDefaults(*service, config), {.mode = desired->mode}, config)) {
          text += "# " + field.ToString() + "\n";
        }
      }
      text += RenderOne(desired, config);
    }
    return text;
  }

  // `desired` is for a service or a graph.
  static std::string RenderOne(const auto& desired, const InferenceServiceConfig& config) {
    if (!desired.has_value()) return "# " + desired.error().reason + ": " + desired.error().Explain() + "\n";
    std::string text;
    for (const manifest::Value& made : desired->objects) {
      ExpectNothingToInject(made, config);
      ExpectRestricted(made);
      text += "---\n" + manifest::ToYaml(made);
    }
    return text;
  }
};

TEST_P(ObjectCasesTest, MakesTheseObjects) {
  const fs::path folder = Root() / "src/kserve/model/reconcile/cases";
  const std::vector<Object> objects = ReadAll(folder / (GetParam() + ".yaml"));
  const std::vector<Object> installed = ReadAll(Root() / "deploy/runtimes/inferd.yaml");
  std::vector<const Object*> pointers;
  std::vector<const ServingRuntime*> runtimes;
  for (const Object& object : objects) pointers.push_back(&object);
  for (const Object& object : installed) runtimes.push_back(&std::get<ServingRuntime>(object.typed));
  for (const ObjectReview& review : ReviewObjects(pointers, runtimes)) {
    EXPECT_EQ(TextsOf(review.problems), std::vector<std::string>());
    EXPECT_TRUE(review.unknown_fields.empty());
  }
  const std::string text = Render(objects, ContextOf(pointers, runtimes), pointers);
  const fs::path file = folder / (GetParam() + ".objects.yaml");
  if (std::getenv("INFERD_WRITE_CASES") != nullptr) std::ofstream(file) << text;
  std::ifstream expected(file);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(expected), {}));
}

INSTANTIATE_TEST_SUITE_P(All, ObjectCasesTest, testing::ValuesIn(Cases()), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace inferd::model
