#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "serving/repository/manager_fixture.h"

namespace inferd::repository {
namespace {

using base::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Models = std::vector<config::ServedModel>;

class ServedModelsTest : public ManagerTest {
 protected:
  ServedModelsTest() { options_.repositories.clear(); }

  // A named model with its versions in the folder of its name.
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
  EXPECT_THAT(manager_->StartupFailure(), HasSubstr("Could not find base path /"));
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
  dir_.Write("none/notes.txt", "x");
  Serve({});
  EXPECT_TRUE(manager_->ServerReady());
  const base::Status status = Replace({Named("a"), Named("bad"), Named("none")});
  EXPECT_EQ(status.code(), StatusCode::kUnknown);
  EXPECT_THAT(status.message(), HasSubstr("2 servable(s) did not become available: {"));
  EXPECT_THAT(status.message(), HasSubstr("broken"));
  EXPECT_EQ(Infer("a").value(), "1");
}

TEST_F(ServedModelsTest, ABasePathThatVanishesUnloadsNothing) {
  AddVersion("a", 1);
  Serve({Named("a")});
  std::filesystem::rename(dir_.path() / "a", dir_.path() / "elsewhere");
  for (int i = 0; i < 3; ++i) Look();
  EXPECT_EQ(Infer("a").value(), "1");
  std::filesystem::rename(dir_.path() / "elsewhere", dir_.path() / "a");
  AddVersion("a", 2);
  Look();
  EXPECT_EQ(Infer("a").value(), "2");
  EXPECT_EQ(engine_.loads(), 2) << "what was there before is not loaded again";
  std::filesystem::remove_all(dir_.path() / "a" / "2");
  Look();
  EXPECT_FALSE(Infer("a", "2").has_value()) << "a version that goes alone is unloaded";
  EXPECT_EQ(Infer("a").value(), "1");
}

TEST_F(ServedModelsTest, AMistypedPathChangesNothing) {
  AddVersion("a", 1);
  AddVersion("b", 1);
  dir_.Write("empty/notes.txt", "x");
  Serve({Named("a")});
  config::ServedModel mistyped = Named("a");
  mistyped.base_path = (dir_.path() / "aa").string();
  const base::Status missing = Replace({mistyped, Named("b")});
  EXPECT_EQ(missing.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(missing.message(),
              HasSubstr("Could not find base path " + mistyped.base_path + " for servable a with error NOT_FOUND: "));
  EXPECT_EQ(Infer("a").value(), "1");
  EXPECT_THAT(manager_->ModelNames(), ElementsAre("a")) << "nothing of what was refused is applied";
  EXPECT_EQ(Replace({Named("a"), Named("nowhere")}).code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(manager_->ModelNames(), ElementsAre("a"));

  mistyped.base_path = (dir_.path() / "empty").string();
  const base::Status empty = Replace({mistyped});
  EXPECT_EQ(empty.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(empty.message(), HasSubstr("No versions of servable a found under base path "));
  config::ServedModel other = Named("a");
  other.version_policy = {.kind = config::VersionPolicyKind::kSpecific, .latest = 1, .specific = {7}};
  EXPECT_THAT(Replace({other}).message(), HasSubstr("The model_version_policy asks for 7; there are 1"));
  Look();
  EXPECT_EQ(Infer("a").value(), "1");
  EXPECT_EQ(engine_.loads(), 1);
}

// Checks the lines of the log, and the reason in the index.
class NoVersionsTest : public ServedModelsTest {
 protected:
  void SetUp() override {
    logger_ = std::move(*base::Logger::Create({.format = base::LogFormat::kHuman, .file = log_.string()}));
  }
  std::string LogOf(config::ServedModel model) {
    Serve({std::move(model)});
    for (int i = 0; i < 3; ++i) Look();
    std::ifstream stream(log_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static size_t Count(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  }
  inferd::support::TempDir logs_;
  const std::filesystem::path log_ = logs_.path() / "log";
};

TEST_F(NoVersionsTest, AWrongBasePathIsLoggedOnce) {
  const std::string log = LogOf(Named("a"));
  EXPECT_EQ(Count(log, "Could not find base path"), 1u) << log;
}

TEST_F(NoVersionsTest, AFolderWithoutNumbersIsLoggedOnce) {
  dir_.Write("a/first/model.onnx", "x");
  const std::string log = LogOf(Named("a"));
  EXPECT_EQ(Count(log, "No versions of servable a found under base path"), 1u) << log;
  EXPECT_THAT(log, HasSubstr("Did you forget to name your leaf directory as a number (eg. '/1/')?"));
  EXPECT_THAT(IndexText(), HasSubstr("No versions of servable a found"));
}

TEST_F(NoVersionsTest, AVersionsFolderIsNoBasePath) {
  dir_.Write("a/3/saved_model.pb", "x");
  config::ServedModel model = Named("a");
  model.base_path += "/3/";
  EXPECT_THAT(LogOf(model),
              HasSubstr("It holds saved_model.pb itself, and a base path holds a folder for each version, "
                        "named by its number: give its parent, " +
                        (dir_.path() / "a").string() + ", as the base path"));
}

TEST_F(NoVersionsTest, AModelWithoutItsNumberIsToBeMoved) {
  dir_.Write("a/model.onnx", "x");
  EXPECT_THAT(LogOf(Named("a")), HasSubstr("move its files to " + (dir_.path() / "a" / "1").string()));
}

TEST_F(NoVersionsTest, VersionsThatThePolicyAsksForInVain) {
  AddVersion("a", 1);
  AddVersion("a", 2);
  config::ServedModel model = Named("a");
  model.version_policy = {.kind = config::VersionPolicyKind::kSpecific, .latest = 1, .specific = {2, 9}};
  EXPECT_EQ(Count(LogOf(model), "Version 9 of servable a, which was requested to be served as a 'specific' version"),
            1u);
  EXPECT_EQ(Infer("a").value(), "2");
}

TEST_F(NoVersionsTest, NoVersionIsTheOneThatThePolicyAsksFor) {
  AddVersion("a", 1);
  config::ServedModel model = Named("a");
  model.version_policy = {.kind = config::VersionPolicyKind::kSpecific, .latest = 1, .specific = {9}};
  EXPECT_THAT(LogOf(model), HasSubstr("The model_version_policy asks for 9; there are 1"));
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
