#include "kserve/cluster/objects/object_writer.h"

#include <gmock/gmock.h>

#include <optional>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using kubernetes::StatusJson;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kOwner =
    "ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: iris, uid: u1, "
    "controller: "
    "true}]";
constexpr const char* kPath =
    "PATCH /apis/apps/v1/namespaces/m/deployments/iris-predictor-default?fieldManager="
    "inferd-controller";

class ObjectWriterTest : public testing::Test {
 protected:
  // Writes the wanted Deployment over `live` (empty if none is known), with these answers of the server. Returns
  // "applied", or the failure.
  std::string Write(const std::string& live, std::vector<std::string> answers) {
    api_.emplace(std::move(answers));
    client_.emplace(*api_, kubernetes::SenderOptions{.retry = {.attempts = 1}});
    ObjectWriter writer(**client_, [this] { return leads_; }, metrics_);
    const std::optional<manifest::Value> before =
        live.empty() ? std::nullopt : std::optional<manifest::Value>(Yaml(live));
    const auto written = writer.Write(service_, wanted_, before.has_value() ? &*before : nullptr, {});
    if (!written.has_value()) {
      transient_ = written.error().transient;
      message_ = written.error().message;
      return written.error().reason;
    }
    return *written == Written::kUnchanged ? "unchanged" : "applied";
  }
  std::vector<std::string> Lines() { return api_->lines(); }
  static std::string Live(const std::string& metadata, const std::string& spec) {
    return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: iris-predictor-default, namespace: m, uid: d1, " +
           metadata + "}, spec: " + spec + "}";
  }
  std::string Marked(const std::string& spec) {
    const auto written = ForWriting(wanted_, service_);
    return Live("labels: {serving.kserve.io/inferenceservice: iris}, annotations: {serving.inferd.io/written: '" +
                    manifest::TextAt(written, {"metadata", "annotations", "serving.inferd.io/written"}) + "'}, " +
                    kOwner,
                spec);
  }

  const manifest::Value service_ = Yaml(
      "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, namespace: m, uid: u1}}");
  static std::string Revision(const std::string& made_of) {
    return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: iris-predictor-default-00001, namespace: m, uid: "
           "d1, labels: {serving.knative.dev/configuration: iris-predictor-default, "
           "serving.knative.dev/configurationGeneration: '1'}, annotations: {serving.inferd.io/made-of: " +
           made_of + "}, " + kOwner + "}, spec: {image: " + made_of + "}}";
  }
  manifest::Value wanted_ = Yaml(Live(kOwner, "{image: a}"));
  bool leads_ = true;
  bool transient_ = false;
  std::string message_;
  metrics::Registry metrics_;
  std::optional<kubernetes::ScriptedApi> api_;
  std::optional<kubernetes::ScriptedClient> client_;
};

TEST_F(ObjectWriterTest, WhatIsNotThereIsAppliedWithoutForce) {
  EXPECT_EQ(Write("", {Answer(201, "{}")}), "applied");
  EXPECT_THAT(Lines(), ElementsAre(kPath));
}

TEST_F(ObjectWriterTest, WhatIsAsItIsWantedIsNotWritten) {
  EXPECT_EQ(Write(Marked("{image: a, replicas: 3}"), {}), "unchanged");
  EXPECT_THAT(Lines(), IsEmpty());
}

TEST_F(ObjectWriterTest, WhatAnotherHasChangedOrWasWantedOtherwiseIsAppliedOver) {
  const std::string forced = std::string(kPath) + "&force=true";
  EXPECT_EQ(Write(Marked("{image: b}"), {Answer(200, "{}")}), "applied");
  EXPECT_THAT(Lines(), ElementsAre(forced));
  EXPECT_EQ(Write(Live(kOwner, "{image: a, earlier: field}"), {Answer(200, "{}")}), "applied");
  EXPECT_THAT(Lines(), ElementsAre(forced));
}

TEST_F(ObjectWriterTest, WhatIsAnothersIsLeftAlone) {
  const std::string foreign =
      Live("ownerReferences: [{apiVersion: apps/v1, kind: Web, name: w, uid: u9, controller: true}]", "{}");
  EXPECT_EQ(Write(foreign, {}), "NotOwned");
  EXPECT_FALSE(transient_);
  EXPECT_EQ(
      message_,
      "the Deployment \"iris-predictor-default\" is there already, and is left alone: it is controlled by the Web "
      "\"w\"");
  // The object was unknown, because it lacks the label.
  const std::string json =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"iris-predictor-default","namespace":"m"}})";
  EXPECT_EQ(Write("", {Answer(409, StatusJson(409, "Conflict", "kubectl manages .spec")), Answer(200, json)}),
            "NotOwned");
  EXPECT_THAT(message_, HasSubstr("it was made by something else"));
}

TEST_F(ObjectWriterTest, WhatIsOfAnEarlierServiceIsDeletedFirst) {
  const std::string earlier = Live(
      "ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: iris, uid: u0, "
      "controller: true}]",
      "{}");
  EXPECT_EQ(Write(earlier, {Answer(200, "{}")}), "ObjectDeleting");
  EXPECT_TRUE(transient_);
  EXPECT_THAT(api_->requests().at(0),
              HasSubstr("DELETE /apis/apps/v1/namespaces/m/deployments/iris-predictor-default"));
  EXPECT_THAT(api_->requests().at(0), HasSubstr(R"("uid":"d1")"));
}

TEST_F(ObjectWriterTest, ARevisionThatTheWatchHasNotSeenIsNotOverwritten) {
  wanted_ = Yaml(Revision("b"));
  EXPECT_EQ(Write("", {Answer(200, manifest::ToJson(Yaml(Revision("a"))))}), "RevisionExists");
  EXPECT_TRUE(transient_);
  EXPECT_THAT(Lines(), ElementsAre("GET /apis/apps/v1/namespaces/m/deployments/iris-predictor-default-00001"));
  EXPECT_EQ(Write("", {Answer(503, StatusJson(503, "ServiceUnavailable", "later"))}), "ServiceUnavailable");
  EXPECT_TRUE(transient_);
}

TEST_F(ObjectWriterTest, ARevisionThatIsTheWantedOneOrNotThereIsWritten) {
  wanted_ = Yaml(Revision("a"));
  EXPECT_EQ(Write("", {Answer(404, StatusJson(404, "NotFound", "none")), Answer(201, "{}")}), "applied");
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("GET "), HasSubstr("PATCH ")));
  EXPECT_EQ(Write("", {Answer(200, manifest::ToJson(Yaml(Revision("a")))), Answer(200, "{}")}), "applied");
  EXPECT_EQ(Write(Revision("b"), {Answer(200, "{}")}), "applied") << "the watch has it: the plan decides";
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("PATCH ")));
}

TEST_F(ObjectWriterTest, WhatTheServerSaysIsKept) {
  EXPECT_EQ(Write("", {Answer(403, StatusJson(403, "Forbidden", "exceeded quota"))}), "Forbidden");
  EXPECT_FALSE(transient_);
  EXPECT_EQ(message_, "the Deployment \"iris-predictor-default\" cannot be written: exceeded quota");
  EXPECT_EQ(Write("", {Answer(422, StatusJson(422, "Invalid", "image: Required")),
                       Answer(404, StatusJson(404, "NotFound", "none"))}),
            "Invalid");
  EXPECT_FALSE(transient_);
  EXPECT_EQ(Write("", {Answer(503, StatusJson(503, "ServiceUnavailable", "later"))}), "ServiceUnavailable");
  EXPECT_TRUE(transient_);
  EXPECT_EQ(Write("", {}), "NoAnswer");
  EXPECT_TRUE(transient_);
}

TEST_F(ObjectWriterTest, NothingIsWrittenWhereAnotherLeads) {
  leads_ = false;
  EXPECT_EQ(Write("", {}), "NotLeading");
  EXPECT_EQ(Write(Marked("{image: b}"), {}), "NotLeading");
  EXPECT_THAT(Lines(), IsEmpty());
}

}  // namespace
}  // namespace inferd::cluster
