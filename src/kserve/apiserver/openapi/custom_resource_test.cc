#include "kserve/apiserver/openapi/custom_resource.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "data/manifest/print.h"
#include "data/manifest/read.h"

namespace inferd::apiserver {
namespace {

using manifest::Kind;
using manifest::Value;

// Returns the folder, relative to this program in build/PRESET/bin.
std::filesystem::path Definitions() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../../../deploy/crds";
}

TEST(CustomResourceTest, TheFilesInDeployAreWhatTheDefinitionsSay) {
  int kinds = 0;
  for (const ResourceType& type : ResourceTypes()) {
    const Value made = MakeCustomResource(type);
    if (made.is(Kind::kNull)) continue;
    ++kinds;
    const std::string file = std::string(type.plural) + ".yaml";
    const auto documents = manifest::ReadFile((Definitions() / file).string());
    if (documents.has_value() && documents->size() == 1 && documents->front() == made) continue;
    const std::string path = testing::TempDir() + file;
    std::ofstream(path) << manifest::ToYaml(made);
    ADD_FAILURE() << "deploy/crds/" << file << " is another than " << path;
  }
  EXPECT_EQ(kinds, 5);
}

// Checks that a schema is structural: each value has a type, unless it may be anything, and nothing is defined twice.
void CheckStructural(const Value& schema, const std::string& path) {
  const Value* const type = schema.Find("type");
  const Value* const anything = schema.Find("x-kubernetes-preserve-unknown-fields");
  ASSERT_TRUE(type != nullptr || anything != nullptr) << path;
  if (const Value* const properties = schema.Find("properties")) {
    EXPECT_EQ(type->text(), "object") << path;
    for (const manifest::Member& member : properties->members()) {
      CheckStructural(member.value, path + "." + member.key);
    }
  }
  for (const char* inner : {"items", "additionalProperties"}) {
    if (const Value* const value = schema.Find(inner)) CheckStructural(*value, path + "[]");
  }
}

TEST(CustomResourceTest, SchemasAreStructural) {
  for (const ResourceType& type : ResourceTypes()) {
    const Value made = MakeCustomResource(type);
    if (made.is(Kind::kNull)) continue;
    const Value& version = made.Find("spec")->Find("versions")->items().front();
    CheckStructural(*version.Find("schema")->Find("openAPIV3Schema"), std::string(type.kind));
  }
}

}  // namespace
}  // namespace inferd::apiserver
