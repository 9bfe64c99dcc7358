#include <gmock/gmock.h>

#include "repository/manager_fixture.h"

namespace inferd::repository {
namespace {

using base::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Models = std::vector<config::ServedModel>;

class ServedModelsTest : public ManagerTest {
 protected:
  ServedModelsTest() { options_.repositories.clear(); }

  // A model whose versions are in the folder of its name.
  config::ServedModel Named(const std::string& name, config::VersionLabels labels = {}) {
    return {.name = name,
            .base_path = (dir_.path() / name).string(),
            .platform = "tensorflow",
            .version_policy = {.kind = config::VersionPolicyKind::kAll, .latest = 1, .specific = {}},
            .version_labels = std::move(labels)};
  }
  void Serve(Models models) {
    options_.served_models = std::move(models);
    Start();
  }
  base::Status Replace(Models models) {
    std::promise<base::Status> answer;
    manager_->ReplaceModels(std::move(models), [&answer](base::Status status) { answer.set_value(std::move(status)); });
    base::Status status = answer.get_future().get();
    manager_->WaitIdle();
    return status;
  }
  std::string LabelOf(const std::string& model, const std::string& label) {
    const auto version = snapshots_.Current()->FindLabel(model, label);
    return version.has_value() ? std::to_string(*version) : "none";
  }
};

TEST_F(ServedModelsTest, AModelIsServedFromItsOwnFolder) {
  dir_.Write("a/00000007/model.onnx", "x");
  config::ServedModel model = Named("a", {{"stable", 7}});
  model.name = "renamed";
  Serve({model});
  EXPECT_TRUE(manager_->StartupTried());
  EXPECT_EQ(Infer("renamed").value(), "7");
  EXPECT_EQ(LabelOf("renamed", "stable"), "7");
  dir_.Write("a/8/model.onnx", "x");
  Look();
  EXPECT_EQ(Infer("renamed").value(), "8");
  EXPECT_EQ(Infer("renamed", "7").value(), "7");
}

TEST_F(ServedModelsTest, AModelWithoutVersionsHoldsUpNobody) {
  AddVersion("a", 1);
  Serve({Named("a"), Named("later")});
  EXPECT_TRUE(manager_->StartupTried());
  EXPECT_FALSE(manager_->ServerReady());
  EXPECT_THAT(manager_->StartupFailure(), HasSubstr("no versions of servable later found under base path /"));
  EXPECT_EQ(Infer("a").value(), "1");
  EXPECT_TRUE(manager_->Versions("later").value().empty());
  AddVersion("later", 1);
  Look();
  EXPECT_EQ(Infer("later").value(), "1");
  EXPECT_TRUE(manager_->ServerReady());
}

TEST_F(ServedModelsTest, ReplacingDisturbsNothingThatStays) {
  for (const char* name : {"goes", "stays", "comes"}) AddVersion(name, 1);
  Serve({Named("goes"), Named("stays")});
  EXPECT_TRUE(Replace({Named("stays"), Named("comes")}).ok());
  EXPECT_EQ(Infer("goes").error().code(), StatusCode::kNotFound);
  EXPECT_EQ(Infer("stays").value(), "1");
  EXPECT_EQ(Infer("comes").value(), "1");
  EXPECT_EQ(engine_.loads(), 3) << "the one that stays is not loaded again";
  Look();
  EXPECT_THAT(manager_->ModelNames(), ElementsAre("comes", "stays"));
  EXPECT_TRUE(Replace({}).ok());
  EXPECT_TRUE(manager_->ModelNames().empty());
  EXPECT_EQ(engine_.alive(), 0);
}

TEST_F(ServedModelsTest, ANewPolicyCountsAtOnceWithoutAPoll) {
  options_.control = config::ControlMode::kNone;
  AddVersion("a", 1);
  AddVersion("a", 2);
  Serve({Named("a")});
  EXPECT_EQ(Infer("a", "1").value(), "1");
  config::ServedModel latest = Named("a");
  latest.version_policy = {};
  EXPECT_TRUE(Replace({latest}).ok());
  EXPECT_FALSE(Infer("a", "1").has_value());
  EXPECT_EQ(Infer("a", "2").value(), "2");
  EXPECT_EQ(engine_.loads(), 2);
}

TEST_F(ServedModelsTest, LabelsAreForVersionsThatServe) {
  AddVersion("a", 1);
  AddVersion("a", 2);
  AddVersion("b", 5);
  Serve({Named("a", {{"stable", 1}})});
  const auto refused = base::FailedPrecondition(
      "Request to assign label to version 9 of model a, which is not currently available for inference");
  EXPECT_EQ(Replace({Named("a", {{"stable", 2}, {"canary", 9}}), Named("b")}), refused);
  EXPECT_EQ(LabelOf("a", "stable"), "1") << "nothing of what was refused is applied";
  EXPECT_THAT(manager_->ModelNames(), ElementsAre("a"));
  EXPECT_TRUE(Replace({Named("a", {{"stable", 2}}), Named("b", {{"first", 5}})}).ok());
  EXPECT_EQ(LabelOf("a", "stable"), "2");
  EXPECT_EQ(LabelOf("b", "first"), "5") << "a new model's version counts if it is about to be loaded";
  EXPECT_EQ(Replace({Named("a", {{"stable", 2}}), Named("b", {{"first", 6}})}).code(), StatusCode::kFailedPrecondition);
}

TEST_F(ServedModelsTest, NewLabelsMayBeEarlyWhereTheOptionSaysSo) {
  options_.labels_for_unavailable_versions = true;
  AddVersion("a", 1);
  Serve({Named("a", {{"stable", 1}})});
  EXPECT_TRUE(Replace({Named("a", {{"stable", 1}, {"canary", 9}})}).ok());
  EXPECT_EQ(LabelOf("a", "canary"), "9");
  EXPECT_EQ(Replace({Named("a", {{"stable", 9}, {"canary", 9}})}).code(), StatusCode::kFailedPrecondition)
      << "a label that moves is not new";
}

TEST_F(ServedModelsTest, NewModelsThatDoNotComeUpAreNamed) {
  AddVersion("a", 1);
  AddVersion("bad", 1);
  FailLoadsOf("bad", "broken");
  Serve({});
  EXPECT_TRUE(manager_->ServerReady());
  const base::Status status = Replace({Named("a"), Named("bad"), Named("none")});
  EXPECT_EQ(status.code(), StatusCode::kUnknown);
  EXPECT_THAT(status.message(), HasSubstr("2 servable(s) did not become available: {"));
  EXPECT_THAT(status.message(), HasSubstr("broken"));
  EXPECT_EQ(Infer("a").value(), "1");
}

TEST_F(ServedModelsTest, PlatformsDoNotChange) {
  AddVersion("a", 1);
  Serve({Named("a")});
  config::ServedModel other = Named("a");
  other.platform = "onnx_onnxv1";
  EXPECT_EQ(Replace({other}),
            base::InvalidArgument("Illegal to change a model's platform. For model a platform was tensorflow and new "
                                  "platform requested is onnx_onnxv1"));
}

TEST_F(ManagerTest, RepositoriesAreNotReplaced) {
  Start();
  base::Status status;
  manager_->ReplaceModels({}, [&status](base::Status answer) { status = std::move(answer); });
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace inferd::repository
