#include "kserve/apiserver/objects/selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::apiserver {
namespace {

const ResourceType& Services() { return *FindKind("serving.kserve.io/v1beta1", "InferenceService"); }
const ResourceType& Events() { return *FindKind("v1", "Event"); }

const manifest::Value& Object() {
  static const manifest::Value kObject =
      std::move(manifest::ReadYaml("{metadata: {name: iris, namespace: models, labels: {a: b, c: d}}, type: Normal, "
                                   "involvedObject: {name: x}}",
                                   "test")
                    ->front());
  return kObject;
}

TEST(Selector, MatchesLabels) {
  const struct {
    std::string_view labels;
    bool matches;
  } cases[] = {
      {"", true},          {"a=b", true},          {"a==b", true},         {"a=c", false},
      {"a!=c", true},      {"x!=c", true},         {"a!=b", false},        {"a", true},
      {"x", false},        {"!x", true},           {"!a", false},          {"a in (b, x)", true},
      {"a in (x)", false}, {"a notin (x)", true},  {"x notin (y)", true},  {"a=b,c=d", true},
      {"a=b,c=e", false},  {"a in (b,c),c", true}, {"a notin (b)", false},
  };
  for (const auto& each : cases) {
    const auto selector = Selector::Parse(Services(), each.labels, "");
    ASSERT_TRUE(selector.has_value()) << each.labels;
    EXPECT_EQ(selector->Matches(Object()), each.matches) << each.labels;
  }
}

TEST(Selector, MatchesFields) {
  EXPECT_TRUE(Selector::Parse(Services(), "", "metadata.name=iris,metadata.namespace=models")->Matches(Object()));
  EXPECT_FALSE(Selector::Parse(Services(), "", "metadata.name!=iris")->Matches(Object()));
  EXPECT_TRUE(Selector::Parse(Events(), "", "involvedObject.name=x,type=Normal")->Matches(Object()));
  EXPECT_FALSE(Selector::Parse(Events(), "", "involvedObject.name=y")->Matches(Object()));
}

TEST(Selector, RefusesOthers) {
  for (const std::string_view labels : {"a b", "a=b=c", "a in b", "=b", "a=/", "a,", ",", "(", "a in (/)", "a in (b"}) {
    const auto selector = Selector::Parse(Services(), labels, "");
    ASSERT_FALSE(selector.has_value()) << labels;
    EXPECT_EQ(selector.error().code, 400);
  }
  EXPECT_EQ(Selector::Parse(Services(), "", "spec.x=y").error().message, "field label not supported: spec.x");
  EXPECT_FALSE(Selector::Parse(Services(), "", "metadata.name").has_value());
  EXPECT_FALSE(Selector::Parse(Services(), std::string(1000, ','), "").has_value());
}

}  // namespace
}  // namespace inferd::apiserver
