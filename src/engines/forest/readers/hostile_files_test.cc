// Truncated files, and files with wrong bytes, must give errors or other forests, and never worse. The fuzz targets
// test more cases.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engines/forest/evaluate/evaluator.h"
#include "engines/forest/readers/byte_reader.h"
#include "engines/forest/readers/document.h"
#include "engines/forest/readers/read_forest.h"
#include "engines/forest/readers/set_builder.h"
#include "engines/forest/readers/treelite_tree.h"

namespace inferd::forest {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOneOfEachFormat[] = {"xgboost_categories/model.json",     "xgboost_ubjson/model.ubj",
                                            "xgboost_1_7_binary_dart/model.bst", "lightgbm_linear_leaves/model.txt",
                                            "lightgbm_categories/model.txt",     "treelite_of_categories/model.tl"};

std::string ContentOf(const std::string& name) {
  std::ifstream file(std::filesystem::path(INFERD_FOREST_MODELS) / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class HostileFileTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::string content_ = ContentOf(GetParam());
};

TEST_P(HostileFileTest, CutOffFilesAreErrors) {
  ASSERT_TRUE(ReadForest(content_));
  // The text after the trees (LightGBM's parameters, XGBoost's attributes) is not used here.
  const size_t end =
      content_.find("end of trees") != std::string::npos ? content_.find("end of trees") : content_.size();
  for (size_t size = 0; size < end * 9 / 10; size += 1 + end / 200) {
    EXPECT_FALSE(ReadForest(std::string_view(content_).substr(0, size))) << size;
  }
}

TEST_P(HostileFileTest, WrongBytesAreErrorsOrOtherForests) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = content_;
    for (int changes = 0; changes < 1 + i % 3; ++changes) {
      damaged[random() % damaged.size()] = static_cast<char>(i % 2 == 0 ? random() : "09-[\"\x7f\xff"[random() % 7]);
    }
    auto read = ReadForest(damaged);
    if (!read || read->features > 100 || read->groups > 100) continue;
    const auto forest = std::make_shared<const Forest>(*std::move(read));
    const std::vector<float> rows(17 * static_cast<size_t>(forest->features), std::numeric_limits<float>::infinity());
    std::vector<double> margins(17 * static_cast<size_t>(forest->groups));
    Evaluator::Create(forest, Precision::kFloat32)->Margins(rows.data(), 17, margins.data());
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, HostileFileTest, ::testing::ValuesIn(kOneOfEachFormat), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == '.'; }, '_');
  return name;
});

// Reads a model of one split after replacing a text in it.
base::Status StatusWith(const std::string& what, const std::string& instead) {
  std::string text = ContentOf("xgboost_binary_logistic/model.json");
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  const auto forest = ReadForest(text.replace(at, what.size(), instead));
  return forest ? base::OkStatus() : forest.error();
}

TEST(HostileXgboostTest, SaysWhatIsWrong) {
  EXPECT_THAT(StatusWith("\"left_children\":[1", "\"left_children\":[0").message(),
              HasSubstr("tree 0: node 0 has two"));
  EXPECT_THAT(StatusWith("\"left_children\":[1", "\"left_children\":[99").message(), HasSubstr("has children 99 and"));
  EXPECT_THAT(StatusWith("\"left_children\":[1", "\"left_children\":[1.5").message(), HasSubstr("no whole number"));
  EXPECT_THAT(StatusWith("\"left_children\":[1,", "\"left_children\":[").message(), HasSubstr("'left_children' has"));
  EXPECT_THAT(StatusWith("\"num_nodes\":\"", "\"num_nodes\":\"9").message(), HasSubstr("elements for 9"));
  EXPECT_THAT(StatusWith("\"num_nodes\":\"", "\"num_nodes\":\"99999999999").message(), HasSubstr("'num_nodes' is"));
  EXPECT_THAT(StatusWith("\"num_class\":\"0\"", "\"num_class\":\"-3\"").message(), HasSubstr("'num_class' is"));
  EXPECT_THAT(StatusWith("\"base_score\":\"[", "\"base_score\":\"[x").message(), HasSubstr("'base_score' is"));
  EXPECT_THAT(StatusWith("\"base_score\":\"[5", "\"base_score\":\"[1E0,5").message(), HasSubstr("2 base scores for 1"));
  EXPECT_THAT(StatusWith("\"split_conditions\":[", "\"split_conditions\":[NaN,").message(), HasSubstr("elements for"));
  EXPECT_THAT(StatusWith("\"split_type\":[0", "\"split_type\":[1").message(), HasSubstr("it has no categories"));
  EXPECT_THAT(StatusWith("\"split_type\":[0", "\"split_type\":[2").message(), HasSubstr("'split_type' is neither"));
  EXPECT_THAT(StatusWith("\"num_trees\":\"", "\"num_trees\":\"4000000000").message(),
              HasSubstr("'num_trees' is 4000000000"));
  EXPECT_THAT(StatusWith("\"num_trees\":\"", "\"num_trees\":\"1").message(),
              HasSubstr("'num_trees' is 12, and the file has 2 trees"));
  EXPECT_THAT(StatusWith("\"iteration_indptr\":[0,1,2]", "\"iteration_indptr\":[0,1]").message(),
              HasSubstr("'iteration_indptr'"));
  EXPECT_THAT(StatusWith("\"id\":0", "\"id\":1").message(), HasSubstr("tree 0 has the 'id' 1"));
  EXPECT_THAT(StatusWith("\"version\":[3", "\"version\":[4").message(), HasSubstr("written by XGBoost 4."));
  EXPECT_THAT(StatusWith("\"version\":[3", "\"version\":[1e30").message(), HasSubstr("no whole number"));
  EXPECT_THAT(StatusWith("\"split_conditions\":[", "\"split_conditions\":[1E999,").message(),
              HasSubstr("out of range"));
}

// Reads a tree of XGBoost's JSON in a model of `targets`, with the given members.
base::Result<Forest> XgboostTree(int targets, const std::string& members) {
  return ReadForest(
      R"({"learner":{"learner_model_param":{"num_feature":"2","num_class":"0","num_target":")" +
      std::to_string(targets) + R"(","base_score":"0"},"objective":{"name":"reg:squarederror"},)" +
      R"("gradient_booster":{"name":"gbtree","model":{"gbtree_model_param":{"num_trees":"1"},"tree_info":[0],"trees":[{)" +
      members + "}]}}}}");
}

// Returns `first`, followed by `count` times `rest`.
std::string Numbers(int first, int rest, int count) {
  std::string text = "[" + std::to_string(first);
  for (int i = 0; i < count; ++i) text += "," + std::to_string(rest);
  return text + "]";
}

TEST(HostileXgboostTest, VectorsOfLeavesTakeTheMemoryThatTheFileHas) {
  // Very many nodes, of which all but the root refer to the same vector.
  constexpr int kLeaves = 3000;
  constexpr int kTargets = 3000;
  const auto forest = XgboostTree(
      kTargets, R"("tree_param":{"num_nodes":")" + std::to_string(kLeaves + 1) + R"(","size_leaf_vector":")" +
                    std::to_string(kTargets) + R"("},"left_children":)" + Numbers(1, -1, kLeaves) +
                    R"(,"right_children":)" + Numbers(2, 0, kLeaves) + R"(,"split_indices":)" + Numbers(0, 0, kLeaves) +
                    R"(,"split_conditions":)" + Numbers(0, 0, kLeaves) + R"(,"default_left":)" +
                    Numbers(0, 0, kLeaves) + R"(,"leaf_weights":)" + Numbers(1, 2, kTargets - 1));
  ASSERT_TRUE(forest) << forest.error().ToString();
  EXPECT_EQ(forest->trees[0].leaf_values.size(), size_t{kTargets});
}

TEST(HostileXgboostTest, SegmentsOfCategoriesDoNotOverlap) {
  const auto read = [](const std::string& sizes, const std::string& begins) {
    return XgboostTree(1, R"("tree_param":{"num_nodes":"5"},"left_children":[1,3,-1,-1,-1],
      "right_children":[2,4,-1,-1,-1],"split_indices":[0,1,0,0,0],"split_conditions":[0,0,1,2,3],
      "default_left":[0,0,0,0,0],"split_type":[1,1,0,0,0],"sum_hessian":[3,2,1,1,1],"categories":[1,2,3],
      "categories_nodes":[0,1],"categories_sizes":)" +
                              sizes + R"(,"categories_segments":)" + begins);
  };
  EXPECT_TRUE(read("[2,1]", "[0,2]")) << read("[2,1]", "[0,2]").error().ToString();
  EXPECT_THAT(read("[3,3]", "[0,0]").error().message(), HasSubstr("'categories_segments' overlap"));
}

// LightGBM: one tree that splits by two category sets, one word each.
base::Result<Forest> LightGbmSets(const std::string& boundaries) {
  return ReadForest(
      "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\nobjective=regression\n\nTree=0\nnum_"
      "leaves=3\n"
      "num_cat=2\nsplit_feature=0 0\nthreshold=0 1\ndecision_type=1 1\nleft_child=1 -1\nright_child=-2 -3\n"
      "internal_count=3 2\nleaf_value=1 2 3\nleaf_count=1 1 1\ncat_threshold=3 5\ncat_boundaries=" +
      boundaries + "\nis_linear=0\n\nend of trees\n");
}

TEST(HostileUbjsonTest, SaysHowManyTreesThereAre) {
  std::string content = ContentOf("xgboost_ubjson/model.ubj");
  const size_t at = content.find("num_trees");
  ASSERT_NE(at, std::string::npos);
  const size_t digits = content.find_first_of("0123456789", at + 9);
  content[digits] = content[digits] == '9' ? '8' : '9';
  EXPECT_THAT(ReadForest(content).error().message(), HasSubstr("'num_trees' is"));
}

TEST(HostileLightGbmTest, AHeadAgreesWithItself) {
  const auto with = [](const std::string& model, const std::string& what, const std::string& instead) {
    std::string text = ContentOf(model + "/model.txt");
    const size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    const auto forest = ReadForest(text.replace(at, what.size(), instead));
    return forest ? "it was read" : forest.error().message();
  };
  EXPECT_THAT(with("lightgbm_binary", "num_class=1", "num_class=1000000000"), HasSubstr("'num_class' is 1000000000"));
  EXPECT_THAT(with("lightgbm_binary", "num_class=1", "num_class=0"), HasSubstr("'num_class' is 0"));
  EXPECT_THAT(with("lightgbm_binary", "num_class=1", "num_class=2"), HasSubstr("'num_class' is 2, and 'num_tree_per"));
  EXPECT_THAT(with("lightgbm_binary", "num_class=1\n", ""), HasSubstr("'num_class' has 0"));
  EXPECT_THAT(with("lightgbm_multiclass", "num_class:3", "num_class:4"), HasSubstr("of the objective 4"));
  EXPECT_THAT(with("lightgbm_binary", "feature_names=", "feature_names=x "),
              HasSubstr("'feature_names' has 7 words for 6"));
  EXPECT_THAT(with("lightgbm_binary", "feature_infos=", "feature_infos=x "), HasSubstr("'feature_infos' has 7 words"));
  EXPECT_THAT(with("lightgbm_binary", "tree_sizes=", "tree_sizes=9 "), HasSubstr("'tree_sizes' is of"));
}

TEST(HostileLightGbmTest, BoundariesOfCategoriesLieInTheirList) {
  const auto forest = LightGbmSets("0 1 2");
  ASSERT_TRUE(forest) << forest.error().ToString();
  EXPECT_EQ(forest->trees[0].sets, (std::vector<CategorySet>{{3}, {5}}));
  for (const char* const boundaries : {"0 9 2", "0 -1 2", "0 3 2", "0 9223372036854775807 2"}) {
    EXPECT_THAT(LightGbmSets(boundaries).error().message(), HasSubstr("'cat_boundaries' do not ascend")) << boundaries;
  }
  EXPECT_THAT(LightGbmSets("1 1 2").error().message(), HasSubstr("'cat_boundaries' are out of range"));
  EXPECT_THAT(LightGbmSets("0 1 -2").error().message(), HasSubstr("'cat_boundaries' are out of range"));
  EXPECT_THAT(LightGbmSets("0 1 3").error().message(), HasSubstr("'cat_threshold' has"));
}

// The elements of the binary formats.
class Bytes final {
 public:
  template <typename Value>
  Bytes& Put(Value value) {
    content_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  template <typename Value>
  Bytes& List(const std::vector<Value>& values) {
    Put<uint64_t>(values.size());
    for (const Value value : values) Put(value);
    return *this;
  }
  Bytes& Text(std::string_view text) {
    Put<uint64_t>(text.size());
    content_ += text;
    return *this;
  }
  Bytes& Zeros(size_t count) {
    content_.append(count, '\0');
    return *this;
  }
  const std::string& content() const { return content_; }

 private:
  std::string content_;
};

// treelite: a root and two leaves of two values each, each of which begins at `begin`.
std::string TreeliteTree(uint64_t begin) {
  Bytes bytes;
  bytes.Put<int32_t>(3).Put<uint8_t>(0).List<int8_t>({1, 0, 0}).List<int32_t>({1, -1, -1}).List<int32_t>({2, -1, -1});
  bytes.List<int32_t>({0, 0, 0}).List<uint8_t>({0, 0, 0}).List<float>({0, 0, 0}).List<float>({1, 0, 0});
  bytes.List<int8_t>({2, 0, 0}).List<uint8_t>({0, 0, 0}).List<float>({1, 2, 3, 4});
  bytes.List<uint64_t>({0, 0, begin}).List<uint64_t>({0, 2, begin + 2});
  bytes.List<uint32_t>({}).List<uint64_t>({}).List<uint64_t>({});
  for (int i = 0; i < 6; ++i) bytes.List<uint8_t>({});  // statistics
  return bytes.Put<int32_t>(0).Put<int32_t>(0).content();
}

TEST(HostileTreeliteTest, NodesShareNoVectors) {
  SetBuilder builder;
  const std::string well = TreeliteTree(2);
  ByteReader reader(well);
  const auto tree = TakeTreeliteTree(reader, Precision::kFloat32, 2, builder);
  ASSERT_TRUE(tree) << tree.error().ToString();
  EXPECT_EQ(tree->leaf_values, (std::vector<double>{1, 2, 3, 4}));
  // With more such nodes and longer vectors, the memory would grow with their product.
  std::string hostile = TreeliteTree(0);
  const size_t values = hostile.find(std::string("\4\0\0\0\0\0\0\0", 8));
  ASSERT_NE(values, std::string::npos);
  hostile = hostile.replace(values, 8 + 4 * sizeof(float), Bytes().List<float>({1, 2}).content());
  ByteReader hostile_reader(hostile);
  EXPECT_THAT(TakeTreeliteTree(hostile_reader, Precision::kFloat32, 2, builder).error().message(),
              HasSubstr("nodes share what their list has"));
}

TEST(HostileTreeliteTest, OtherVersionsAreNamed) {
  std::string content = ContentOf("treelite_of_categories/model.tl");
  content[0] = 5;
  EXPECT_THAT(ReadForest(content).error().message(), HasSubstr("it was written by treelite 5."));
}

TEST(XgboostBinaryTest, DartMayHaveNoTrees) {
  Bytes bytes;
  bytes.Put<char>('b').Put<char>('i').Put<char>('n').Put<char>('f');
  bytes.Put<float>(0.5).Put<uint32_t>(3).Put<int32_t>(0).Put<int32_t>(0).Put<int32_t>(0).Put<uint32_t>(1).Put<uint32_t>(
      7);
  bytes.Put<uint32_t>(1).Zeros(104).Text("reg:squarederror").Text("dart").Zeros(160);
  const auto forest = ReadForest(bytes.content());
  ASSERT_TRUE(forest) << forest.error().ToString();
  EXPECT_TRUE(forest->trees.empty());
  EXPECT_EQ(forest->start, std::vector<double>{0.5});
}

TEST(XgboostBinaryTest, WhatFollowsTheTreesIsWhole) {
  const std::string content = ContentOf("xgboost_1_7_binary/model.bst");
  ASSERT_TRUE(ReadForest(content));
  for (const size_t cut : {1, 2, 9}) {
    EXPECT_THAT(ReadForest(content.substr(0, content.size() - cut)).error().message(), HasSubstr("it ends too early"))
        << cut;
  }
}

TEST(SetBuilderTest, AllSetsTogetherHaveALimit) {
  SetBuilder builder;
  CategorySet set;
  EXPECT_TRUE(builder.Add(kCategoriesMax - 1, &set).ok());
  EXPECT_FALSE(builder.Add(kCategoriesMax, &set).ok());
  EXPECT_FALSE(builder.Add(-1, &set).ok());
  base::Status status;
  for (int i = 0; i < 200 && status.ok(); ++i) {
    CategorySet another;
    status = builder.Add(kCategoriesMax - 1, &another);
  }
  EXPECT_THAT(status.message(), HasSubstr("too much memory"));
}

TEST(DocumentTest, ElementsThatAreNoNumbersAreLimited) {
  EXPECT_TRUE(ParseJson("[[null, [1, 2]]]", 3));
  EXPECT_THAT(ParseJson("[[null, [1, 2]]]", 2).error().message(), HasSubstr("too many elements"));
  EXPECT_TRUE(ParseUbjson("[[Z[i\1i\2]]]", 3));
  EXPECT_THAT(ParseUbjson("[[Z[i\1i\2]]]", 2).error().message(), HasSubstr("too many elements"));
}

TEST(UbjsonTest, HasLimits) {
  std::string deep(40, '[');
  EXPECT_THAT(ParseUbjson(deep).error().message(), HasSubstr("too deep"));
  EXPECT_THAT(ParseUbjson("[$d#l\x7f\xff\xff\xff").error().message(), HasSubstr("more than the file has"));
  EXPECT_THAT(ParseUbjson("[#i\xff").error().message(), HasSubstr("more than the file has"));
  EXPECT_THAT(ParseUbjson("{i\1aZi\1aZ}").error().message(), HasSubstr("'a' is there twice"));
  EXPECT_THAT(ParseUbjson("ZZ").error().message(), HasSubstr("something follows"));
  EXPECT_TRUE(ParseUbjson("[#i\2TF"));
}

TEST(UbjsonTest, ObjectsMayHaveManyMembers) {
  std::string object = "{";
  for (int i = 10000; i < 20000; ++i) object += "i\5" + std::to_string(i) + "Z";
  EXPECT_TRUE(ParseUbjson(object + "}"));
  EXPECT_THAT(ParseUbjson(object + "i\00512345Z}").error().message(), HasSubstr("'12345' is there twice"));
}

}  // namespace
}  // namespace inferd::forest
