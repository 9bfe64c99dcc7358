#include "config/format/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "data/zip/zip_fixture.h"

namespace inferd::config {
namespace {

using namespace std::string_view_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using zip::MakeZip;

const std::string kScript = MakeZip({"net/data.pkl", "net/constants.pkl"});
const std::string kWeights = MakeZip({"net/data.pkl", "net/data/0"});

bool Any(const Platform& /*platform*/) { return true; }

// Returns "engine/filename" of each.
std::vector<std::string> Shown(const std::vector<FoundModel>& found) {
  std::vector<std::string> shown;
  for (const FoundModel& each : found) {
    shown.push_back(std::string(PlatformOf(*each.format)->engine) + "/" + each.filename);
  }
  return shown;
}

std::vector<std::string> FindNamed(std::vector<std::string> names) {
  return Shown(FindModels({.names = std::move(names), .folder = {}}, Any));
}

// A version folder with files that have content.
class ModelFilesTest : public ::testing::Test {
 protected:
  ModelFilesTest() { std::filesystem::create_directories(files_.folder); }
  ~ModelFilesTest() override { std::filesystem::remove_all(files_.folder); }

  const ModelFiles& Folder(const std::vector<std::pair<std::string, std::string>>& files) {
    files_.names.clear();
    for (const auto& [name, content] : files) {
      files_.names.push_back(name);
      std::ofstream(files_.folder / name, std::ios::binary) << content;
    }
    return files_;
  }

  std::vector<std::string> Find(const std::vector<std::pair<std::string, std::string>>& files) {
    return Shown(FindModels(Folder(files), Any));
  }

  ModelFiles files_{.names = {},
                    .folder = std::filesystem::temp_directory_path() / ("model_files_" + std::to_string(getpid()))};
};

TEST_F(ModelFilesTest, EveryFormatIsFoundByItsFiles) {
  EXPECT_THAT(Find({{"model.savedmodel", ""}}), ElementsAre("tensorflow/model.savedmodel"));
  EXPECT_THAT(Find({{"saved_model.pb", ""}, {"variables", ""}}), ElementsAre("tensorflow/saved_model.pb"));
  EXPECT_THAT(Find({{"saved_model.pbtxt", ""}}), ElementsAre("tensorflow/saved_model.pbtxt"));
  EXPECT_THAT(Find({{"model.graphdef", ""}}), ElementsAre("tensorflow/model.graphdef"));
  EXPECT_THAT(Find({{"model.plan", ""}}), ElementsAre("onnxruntime/model.plan"));
  EXPECT_THAT(Find({{"net.onnx", ""}}), ElementsAre("onnxruntime/net.onnx"));
  EXPECT_THAT(Find({{"net.xml", "<net name=''>"}, {"net.bin", ""}}), ElementsAre("openvino/net.xml"));
  EXPECT_THAT(Find({{"net.pt", kScript}}), ElementsAre("torch/net.pt"));
  EXPECT_THAT(Find({{"net.pt2", ""}}), ElementsAre("torch/net.pt2"));
  EXPECT_THAT(Find({{"model.py", ""}}), ElementsAre("python/model.py"));
  EXPECT_THAT(Find({{"MLmodel", ""}}), ElementsAre("python/MLmodel"));
  EXPECT_THAT(Find({{"net-symbol.json", ""}, {"net-0000.params", ""}}), ElementsAre("onnxruntime/net-symbol.json"));
  EXPECT_THAT(Find({{"init_a.netdef", ""}, {"a.netdef", ""}}), ElementsAre("onnxruntime/a.netdef"));
  EXPECT_THAT(Find({{"m.ubj", "{L\0\0\0\0\0\0\0\7learner"}}), ElementsAre("forest/m.ubj"));
  EXPECT_THAT(Find({{"m.json", "{\"learner\":{"}}), ElementsAre("forest/m.json"));
  EXPECT_THAT(Find({{"m.model", "binf"}}), ElementsAre("forest/m.model"));
  EXPECT_THAT(Find({{"m.bst", "binf"}}), ElementsAre("forest/m.bst"));
  EXPECT_THAT(Find({{"m.bst", "tree\nversion=v4\n"}}), ElementsAre("forest/m.bst"));
  EXPECT_THAT(Find({{"m.xgb", ""}}), ElementsAre("forest/m.xgb"));
  EXPECT_THAT(Find({{"m.txt", "tree\nversion=v4\n"}}), ElementsAre("forest/m.txt"));
  EXPECT_THAT(Find({{"checkpoint.tl", ""}}), ElementsAre("forest/checkpoint.tl"));
  EXPECT_THAT(Find({{"m.joblib", ""}}), ElementsAre("python/m.joblib"));
  EXPECT_THAT(Find({{"m.PKL", ""}}), ElementsAre("python/m.PKL"));
  EXPECT_THAT(Find({{"m.pickle", ""}}), ElementsAre("python/m.pickle"));
  EXPECT_THAT(Find({{"m.pmml", ""}}), ElementsAre("python/m.pmml"));
  EXPECT_THAT(Find({{"m.pdmodel", ""}, {"m.pdiparams", ""}}), ElementsAre("openvino/m.pdmodel"));
  EXPECT_THAT(Find({{"m.json", "{\"base_code\":{\"magic\":\"pir\"}}"}, {"m.pdiparams", ""}}),
              ElementsAre("python/m.json"));
  EXPECT_THAT(Find({{"m.tflite", ""}}), ElementsAre("openvino/m.tflite"));
}

TEST_F(ModelFilesTest, WhatAnyDataMayBeCalledIsAModelByItsContentOnly) {
  EXPECT_THAT(Find({{"config.json", "{\"a\": 1}"},
                    {"labels.txt", "cat\ndog\n"},
                    {"layout.xml", "<a/>"},
                    {"README.md", ""},
                    {"weights.bin", "\1"}}),
              IsEmpty());
  EXPECT_THAT(FindNamed({"model.json", "model.txt", "model.xml"}), IsEmpty()) << "nothing was read";
  EXPECT_THAT(FindNamed({}), IsEmpty());
  EXPECT_THAT(FindNamed({"frozen.pb", "batching_params.pbtxt", ".onnx", "net.py"}), IsEmpty());
}

TEST_F(ModelFilesTest, ContentTellsFormatsOfOneNameApart) {
  EXPECT_EQ(FindModel(Folder({{"m.bst", "tree\nversion=v4\n"}}), "m.bst")->format->name, "LightGBM");
  EXPECT_EQ(FindModel(Folder({{"m.bst", "{\"learner\":{"}}), "m.bst")->format->name, "XGBoost");
  EXPECT_EQ(FindModel(Folder({{"m.bst", "\1\2\3\4"}}), "m.bst")->format->name, "XGBoost") << "the first of the name";
  EXPECT_EQ(FindModel(Folder({{"m.pt", kScript}}), "m.pt")->format->name, "TorchScript");
  EXPECT_EQ(FindModel(Folder({{"m.pt", kWeights}}), "m.pt")->format->name, "file of torch.save");
  EXPECT_EQ(FindModel(Folder({{"m.pt", "\x80\x04"}}), "m.pt")->format->name, "file of torch.save");
  EXPECT_EQ(FindModel(Folder({{"m.pt", ""}}), "m.pt")->format->name, "TorchScript")
      << "its engine says that it is empty";
  EXPECT_EQ(FindModel({}, "m.pt")->format->name, "TorchScript");
  EXPECT_THAT(Find({{"m.pt", kWeights}}), IsEmpty());
}

// The time must grow linearly with the number of files, not with its square, which would take minutes.
TEST_F(ModelFilesTest, AFolderMayHaveVeryManyFiles) {
  constexpr size_t kFiles = 50'000;
  std::vector<std::string> names;
  for (size_t i = 0; i < kFiles; ++i) names.push_back("m" + std::to_string(i) + ".netdef");
  EXPECT_EQ(FindModels({.names = names}, [](const Platform&) { return true; }).size(), kFiles);
  names.emplace_back("init_m7.netdef");
  EXPECT_EQ(FindModels({.names = names}, [](const Platform&) { return true; }).size(), kFiles) << "a part of m7.netdef";
}

TEST_F(ModelFilesTest, FullNamesGoBeforeEndings) {
  EXPECT_THAT(FindNamed({"model.onnx", "other.onnx", "scaler.pkl"}), ElementsAre("onnxruntime/model.onnx"));
  EXPECT_THAT(FindNamed({"resnet.onnx", "README"}), ElementsAre("onnxruntime/resnet.onnx"));
}

TEST_F(ModelFilesTest, OfSeveralItHasToBeSaidWhich) {
  EXPECT_THAT(FindNamed({"model.pt", "model.onnx"}), ElementsAre("onnxruntime/model.onnx", "torch/model.pt"));
  EXPECT_THAT(FindNamed({"b.onnx", "a.onnx"}), ElementsAre("onnxruntime/b.onnx", "onnxruntime/a.onnx"));
  EXPECT_THAT(FindNamed({"model.onnx", "model.py"}), ElementsAre("onnxruntime/model.onnx", "python/model.py"));
  EXPECT_THAT(FindNamed({"model.ubj", "model.joblib"}), ElementsAre("forest/model.ubj", "python/model.joblib"));
  const auto two = FindModels(Folder({{"model.pt", kScript}, {"model.onnx", ""}}), Any);
  EXPECT_EQ(
      SeveralModels("m", two).message(),
      "the version folder of model 'm' has two models, model.onnx (ONNX, for the engine onnxruntime) and model.pt "
      "(TorchScript, for the engine torch): remove what is not meant, or name what is meant in config.pbtxt, "
      "default_model_filename: \"model.onnx\"");
  EXPECT_THAT(
      SeveralModels("m",
                    FindModels({.names = {"a.ubj", "b.ubj", "c.ubj", "d.ubj", "e.ubj", "f.ubj"}, .folder = {}}, Any))
          .message(),
      StartsWith("the version folder of model 'm' has 6 models, a.ubj (XGBoost, for the engine forest), b.ubj"));
}

TEST_F(ModelFilesTest, ProgramsAndDescriptionsHaveTheirPartsBesideThem) {
  EXPECT_THAT(FindNamed({"model.py", "model.pkl", "model.ubj", "weights.bst"}), ElementsAre("python/model.py"));
  EXPECT_THAT(FindNamed({"model.pkl", "MLmodel", "model.py", "model.onnx", "saved_model.pb"}),
              ElementsAre("python/MLmodel"));
  EXPECT_THAT(FindNamed({"saved_model.pb", "saved_model.pbtxt", "model.tflite"}),
              ElementsAre("tensorflow/saved_model.pb"));
}

TEST_F(ModelFilesTest, CompanionsAreNoModelsAndAreMissed) {
  const auto found = FindModels({.names = {"model.netdef"}, .folder = {}}, Any);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found.front().missing, "init_model.netdef");
  EXPECT_EQ(FindModels({.names = {"a-symbol.json"}, .folder = {}}, Any).front().missing, "a-*.params");
  EXPECT_EQ(FindModels({.names = {"a-symbol.json", "a-0012.params"}, .folder = {}}, Any).front().missing, "");
  EXPECT_EQ(FindModels({.names = {"a-symbol.json", "b-0012.params"}, .folder = {}}, Any).front().missing, "a-*.params");
  EXPECT_EQ(FindModels({.names = {"a.pdmodel", "b.pdiparams"}, .folder = {}}, Any).front().missing, "a.pdiparams");
  EXPECT_THAT(FindNamed({"init_model.netdef", "model.netdef"}), ElementsAre("onnxruntime/model.netdef"));
  Folder({{"net.bin", ""}, {"net.xml", "<net name=''>"}});
  EXPECT_EQ(FindModels({.names = {"net.xml"}, .folder = files_.folder}, Any).front().missing, "")
      << "of a single file that is served, what lies beside it";
}

TEST_F(ModelFilesTest, OnlyWhatIsWantedIsFound) {
  const auto onnx = [](const Platform& platform) { return platform.backend == "onnxruntime"; };
  const ModelFiles files{.names = {"net.onnx", "model.pt", "model.py"}, .folder = {}};
  EXPECT_THAT(Shown(FindModels(files, onnx)), ElementsAre("onnxruntime/net.onnx"));
  const auto openvino = [](const Platform& platform) { return platform.backend == "openvino"; };
  EXPECT_THAT(Shown(FindModels(files, openvino)), ElementsAre("onnxruntime/net.onnx")) << "which it reads, too";
  EXPECT_EQ(DescribeForeignFile("openvino", Folder({{"m.onnx", "\x08\x07\x12\x07pytorch"}}).folder / "m.onnx"), "");
}

TEST_F(ModelFilesTest, AdvisesOnWhatNoEngineReads) {
  EXPECT_THAT(AdviceOnUnread(Folder({{"a.md", ""}, {"m.h5", ""}})), StartsWith("Keras models need exporting"));
  EXPECT_THAT(AdviceOnUnread(Folder({{"m.pt", kWeights}})), StartsWith("PyTorch models need exporting"));
  EXPECT_EQ(AdviceOnUnread(Folder({{"m.pt", "\x08\x07\x12\x07pytorch"}})), "m.pt is an ONNX model");
  EXPECT_EQ(AdviceOnUnread(Folder({{"model.txt", ""}})), "model.txt is an empty file");
  EXPECT_EQ(AdviceOnUnread(Folder({{"model.json", "{}"}})), "model.json is no file of XGBoost or Paddle 3");
  EXPECT_EQ(AdviceOnUnread({.names = {"model.json"}, .folder = {}}), "") << "it was not read";
  EXPECT_EQ(AdviceOnUnread(Folder({{"m.onnx", ""}, {"labels.txt", ""}, {"config.json", "{}"}})), "");
  EXPECT_EQ(AdviceOnUnread({}), "");
}

TEST_F(ModelFilesTest, SaysWhatAFileOfAnotherKindIs) {
  const auto describe = [this](std::string_view engine, const std::string& name, const std::string& content) {
    return DescribeForeignFile(engine, Folder({{name, content}}).folder / name);
  };
  EXPECT_EQ(describe("onnxruntime", "model.onnx", kScript), ": model.onnx is a TorchScript archive");
  EXPECT_EQ(describe("onnxruntime", "model.onnx", ""), ": model.onnx is an empty file");
  EXPECT_THAT(describe("onnxruntime", "model.onnx", "version https://git-lfs.github.com/spec/v1\n"),
              HasSubstr("is a pointer of Git LFS"));
  EXPECT_EQ(describe("onnxruntime", "model.onnx", "\x08\x07\x12\x07pytorch"), "") << "it is what it should be";
  EXPECT_EQ(describe("onnxruntime", "model.onnx", "garbage"), "");
  EXPECT_EQ(describe("mine", "model.zip", kScript), "") << "an engine of another maker's";
  EXPECT_EQ(describe("forest", "m.bst", "tree\nversion=v4\n"), "") << "one format of the engine, whatever its name";
  EXPECT_EQ(DescribeForeignFile("onnxruntime", files_.folder / "none"), "");
  EXPECT_EQ(DescribeForeignFile("onnxruntime", files_.folder),
            ": " + files_.folder.filename().string() + " is a folder");
}

}  // namespace
}  // namespace inferd::config
