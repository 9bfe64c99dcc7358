// Checks the runtimes that are installed with the product.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "kserve/model/objects_fixture.h"
#include "kserve/model/pods/inject/sidecar.h"
#include "kserve/model/resolve/review.h"

namespace inferd::model {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class DefaultRuntimesTest : public testing::Test {
 protected:
  DefaultRuntimesTest() {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    auto documents = manifest::ReadFile(program.parent_path() / "../../../deploy/runtimes/inferd.yaml");
    EXPECT_TRUE(documents.has_value()) << documents.error().message();
    if (documents.has_value()) objects_ = ReadObjects(*std::move(documents));
    for (const Object& object : objects_) {
      pointers_.push_back(&object);
      if (const auto* runtime = std::get_if<ServingRuntime>(&object.typed)) runtimes_.push_back(runtime);
    }
  }

  RuntimeSelection Select(const char* format, std::optional<std::string> version, std::optional<std::string> protocol) {
    ModelSpec model;
    model.format = {format, std::move(version)};
    model.protocol_version = std::move(protocol);
    return SelectRuntime(model, "default", runtimes_);
  }

  std::vector<Object> objects_;
  std::vector<const Object*> pointers_;
  std::vector<const ServingRuntime*> runtimes_;
};

TEST_F(DefaultRuntimesTest, AreValid) {
  EXPECT_THAT(runtimes_, SizeIs(objects_.size()));
  for (const ObjectReview& review : ReviewObjects(pointers_, {})) {
    EXPECT_EQ(TextsOf(review.problems), std::vector<std::string>()) << review.object->metadata().name;
  }
}

// Checks that a namespace that enforces the pod security standard "restricted" accepts their pods.
TEST_F(DefaultRuntimesTest, RunAsRestrictedDemands) {
  const manifest::Value restricted = RestrictedContext();
  for (const ServingRuntime* runtime : runtimes_) {
    for (const manifest::Value& container : runtime->containers) {
      const manifest::Value* const context = container.Find("securityContext");
      ASSERT_NE(context, nullptr) << runtime->metadata.name;
      EXPECT_EQ(*context, restricted) << runtime->metadata.name;
    }
  }
}

TEST_F(DefaultRuntimesTest, HaveKServesNames) {
  std::vector<std::string> names;
  for (const ServingRuntime* runtime : runtimes_) names.push_back(runtime->metadata.name);
  EXPECT_THAT(names,
              UnorderedElementsAre("kserve-lgbserver", "kserve-mlserver", "kserve-paddleserver", "kserve-pmmlserver",
                                   "kserve-sklearnserver", "kserve-tensorflow-serving", "kserve-torchserve",
                                   "kserve-tritonserver", "kserve-xgbserver", "inferd", "inferd-tensorrt"));
}

struct FormatCase {
  const char* format;
  std::optional<std::string> version;
  std::optional<std::string> protocol;
  const char* runtime;
};

TEST_F(DefaultRuntimesTest, ServeTheFormatsOfKServesTable) {
  const std::vector<FormatCase> cases = {
      {"sklearn", {}, {}, "kserve-sklearnserver"},     {"sklearn", "1", "v2", "kserve-sklearnserver"},
      {"sklearn", "0", {}, "kserve-mlserver"},         {"xgboost", {}, {}, "kserve-xgbserver"},
      {"lightgbm", "3", "v1", "kserve-lgbserver"},     {"pmml", "4", {}, "kserve-pmmlserver"},
      {"mlflow", {}, {}, "kserve-mlserver"},           {"tensorflow", "2", {}, "kserve-tensorflow-serving"},
      {"tensorflow", {}, "v2", "kserve-tritonserver"}, {"tensorflow", {}, "grpc-v1", "kserve-tensorflow-serving"},
      {"paddle", {}, {}, "kserve-paddleserver"},       {"paddle", "2", "v2", "kserve-paddleserver"},
      {"pytorch", {}, {}, "kserve-torchserve"},        {"pytorch", "1", "v2", "kserve-torchserve"},
      {"onnx", {}, "v2", "kserve-tritonserver"},       {"triton", {}, "v2", "kserve-tritonserver"},
  };
  for (const FormatCase& one : cases) {
    const RuntimeSelection selection = Select(one.format, one.version, one.protocol);
    ASSERT_NE(selection.runtime, nullptr) << one.format;
    EXPECT_EQ(selection.runtime->metadata.name, one.runtime) << one.format;
  }
}

TEST_F(DefaultRuntimesTest, SayWhyAFormatIsNotServed) {
  const RuntimeSelection selection = Select("tensorrt", {}, {});
  EXPECT_EQ(selection.runtime, nullptr);
  EXPECT_THAT(selection.candidates,
              testing::Contains(testing::Field(&RuntimeCandidate::reason,
                                               testing::HasSubstr("is disabled: TensorRT's plans need a GPU"))));
}

}  // namespace
}  // namespace inferd::model
