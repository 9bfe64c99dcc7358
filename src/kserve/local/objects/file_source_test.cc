#include "kserve/local/objects/file_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "kserve/apiserver/objects/admission.h"
#include "kserve/apiserver/store/object_store.h"
#include "tests/support/temp_dir.h"

namespace inferd::local {
namespace {

constexpr const char* kService =
    "apiVersion: serving.kserve.io/v1beta1\n"
    "kind: InferenceService\n"
    "metadata: {name: one}\n"
    "spec: {predictor: {containers: [{name: kserve-container, image: 'one:1'}]}}\n";

class FileSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_.Write("services.yaml", kService);
    ASSERT_EQ(files_.Load(), base::OkStatus());
  }
  bool IsThere(const std::string& name) const {
    const auto* const type = apiserver::FindKind("serving.kserve.io/v1beta1", "InferenceService");
    return registry_.Get(*type, "default", name).has_value();
  }

  support::TempDir dir_;
  base::SystemClock clock_;
  std::unique_ptr<apiserver::ObjectStore> store_ = apiserver::ObjectStore::Open("").value();
  const apiserver::Admission admission_{*store_, [] { return model::InferenceServiceConfig(); }};
  apiserver::Registry registry_{*store_, admission_, clock_};
  FileSource files_{{(dir_.path() / "services.yaml").string()}, {}, registry_};
};

TEST_F(FileSourceTest, WhatIsTakenOutOfAFileIsDeletedOnceTheFileHasSettled) {
  ASSERT_TRUE(IsThere("one"));
  dir_.Write("services.yaml", "");
  EXPECT_EQ(files_.LoadChanges(), base::OkStatus());
  EXPECT_TRUE(IsThere("one")) << "it may be being written";
  EXPECT_EQ(files_.LoadChanges(), base::OkStatus());
  EXPECT_FALSE(IsThere("one"));
}

TEST_F(FileSourceTest, AFileThatIsEmptyForAMomentDeletesNothing) {
  dir_.Write("services.yaml", "");
  EXPECT_EQ(files_.LoadChanges(), base::OkStatus());
  const std::string more = std::string(kService) + "---\n" + kService;
  dir_.Write("services.yaml", std::string(more).replace(more.rfind("name: one}"), 10, "name: two}"));
  for (int look = 0; look < 2; ++look) {
    EXPECT_EQ(files_.LoadChanges(), base::OkStatus());
    EXPECT_TRUE(IsThere("one"));
  }
  EXPECT_TRUE(IsThere("two"));
}

}  // namespace
}  // namespace inferd::local
