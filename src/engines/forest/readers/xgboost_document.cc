#include "engines/forest/readers/xgboost_document.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engines/forest/model/check_forest.h"
#include "engines/forest/readers/xgboost_objective.h"
#include "engines/forest/readers/xgboost_tree.h"

namespace inferd::forest {

namespace {

base::Status ReadLearnerParams(const Document& learner, Forest* forest, std::vector<float>* base_scores) {
  INFERD_ASSIGN_OR_RETURN(const Document* const params, learner.Get("learner_model_param"));
  INFERD_ASSIGN_OR_RETURN(const int64_t features, params->Integer("num_feature", 1, kFeaturesMax));
  INFERD_ASSIGN_OR_RETURN(const int64_t classes, params->Integer("num_class", 0, kGroupsMax));
  int64_t targets = 1;
  if (params->Find("num_target") != nullptr) {
    INFERD_ASSIGN_OR_RETURN(targets, params->Integer("num_target", 0, kGroupsMax));
  }
  if (classes > 1 && targets > 1) return base::InvalidArgument("it has several targets of several classes each");
  forest->features = static_cast<int32_t>(features);
  forest->groups = static_cast<int32_t>(std::max({classes, targets, int64_t{1}}));
  INFERD_ASSIGN_OR_RETURN(const std::string text, params->Text("base_score"));
  INFERD_ASSIGN_OR_RETURN(*base_scores, ParseBaseScores(text));
  return {};
}

// The parts of a booster. DART's trees are in a nested gbtree.
struct Booster {
  const Document* model = nullptr;
  std::span<const double> weights;  // of the trees; empty if all are 1
  bool linear = false;              // its model has no trees
};

base::Result<Booster> FindBooster(const Document& learner) {
  INFERD_ASSIGN_OR_RETURN(const Document* booster, learner.Get("gradient_booster"));
  INFERD_ASSIGN_OR_RETURN(const std::string name, booster->Text("name"));
  Booster found;
  if (name == "dart") {
    INFERD_ASSIGN_OR_RETURN(found.weights, booster->NumberList("weight_drop"));
    INFERD_ASSIGN_OR_RETURN(booster, booster->Get("gbtree"));
  } else if (name != "gbtree" && name != "gblinear") {
    return std::unexpected(base::InvalidArgument("booster '" + name + "' is none of gbtree, dart and gblinear"));
  }
  found.linear = name == "gblinear";
  INFERD_ASSIGN_OR_RETURN(found.model, booster->Get("model"));
  return found;
}

// Checks the model's redundant data on its trees. The library refuses inconsistent files.
base::Status CheckTreeCount(const Document& model, std::span<const Document> trees) {
  INFERD_ASSIGN_OR_RETURN(const Document* const params, model.Get("gbtree_model_param"));
  INFERD_ASSIGN_OR_RETURN(const int64_t count, params->Integer("num_trees", 0, kTreesMax));
  const std::string there = std::to_string(trees.size());
  if (std::cmp_not_equal(count, trees.size())) {
    return base::InvalidArgument("'num_trees' is " + std::to_string(count) + ", and the file has " + there + " trees");
  }
  if (model.Find("iteration_indptr") != nullptr) {
    INFERD_ASSIGN_OR_RETURN(const std::span<const double> ends, model.NumberList("iteration_indptr"));
    if (ends.empty() || ends.back() != static_cast<double>(trees.size())) {
      return base::InvalidArgument("'iteration_indptr' does not end with " + there + ", the number of trees");
    }
  }
  for (size_t i = 0; i < trees.size(); ++i) {
    if (trees[i].Find("id") == nullptr) continue;
    INFERD_ASSIGN_OR_RETURN(const int64_t id, trees[i].Integer("id", 0, kTreesMax));
    if (std::cmp_not_equal(id, i)) {
      return base::InvalidArgument("tree " + std::to_string(i) + " has the 'id' " + std::to_string(id));
    }
  }
  return {};
}

base::Status ReadTrees(const Booster& booster, Forest* forest) {
  INFERD_ASSIGN_OR_RETURN(const std::span<const Document> trees, booster.model->List("trees"));
  INFERD_RETURN_IF_ERROR(CheckTreeCount(*booster.model, trees));
  INFERD_ASSIGN_OR_RETURN(const std::span<const double> groups, booster.model->NumberList("tree_info"));
  if (groups.size() != trees.size()) return base::InvalidArgument("'tree_info' has not one element for each tree");
  if (!booster.weights.empty() && booster.weights.size() != trees.size()) {
    return base::InvalidArgument("'weight_drop' has not one element for each tree");
  }
  SetBuilder builder;
  for (size_t i = 0; i < trees.size(); ++i) {
    const float weight = booster.weights.empty() ? 1.0F : static_cast<float>(booster.weights[i]);
    auto tree = ReadXgboostTree(trees[i], forest->groups, weight, builder);
    if (!tree) return tree.error().WithContext("tree " + std::to_string(i));
    INFERD_ASSIGN_OR_RETURN(const int64_t group, ToInteger(groups[i], 0, forest->groups - 1));
    tree->group = static_cast<int32_t>(group);
    forest->trees.push_back(*std::move(tree));
  }
  return {};
}

base::Status ReadLinear(const Document& model, Forest* forest) {
  INFERD_ASSIGN_OR_RETURN(const std::span<const double> weights, model.NumberList("weights"));
  if (weights.empty()) return base::InvalidArgument("its linear model has no weights");
  forest->weights.assign(weights.begin(), weights.end());
  // Its library adds the first output's base score to all outputs (XGBoost 3.2).
  std::ranges::fill(forest->start, forest->start.front());
  forest->has_contributions = false;
  return {};
}

// Returns "XGBoost 3.2.0". In a later version the same members may have another meaning.
base::Result<std::string> ReadVersion(const Document& document) {
  constexpr int64_t kMajorMax = 3;
  constexpr int64_t kNumberMax = 99'999;
  std::string text = "XGBoost";
  if (document.Find("version") == nullptr) return text;
  INFERD_ASSIGN_OR_RETURN(const std::span<const double> version, document.NumberList("version"));
  for (size_t i = 0; i < std::min<size_t>(version.size(), 3); ++i) {
    INFERD_ASSIGN_OR_RETURN(const int64_t number, ToInteger(version[i], 0, kNumberMax));
    text += (i == 0 ? " " : ".") + std::to_string(number);
  }
  if (version.empty() || version[0] <= kMajorMax) return text;
  return std::unexpected(base::InvalidArgument("it was written by " + text + ", and is read if XGBoost 1 to " +
                                               std::to_string(kMajorMax) + " wrote it"));
}

void ReadFeatureNames(const Document& learner, Forest* forest) {
  const Document* const names = learner.Find("feature_names");
  const auto* const elements = names == nullptr ? nullptr : std::get_if<Document::Elements>(&names->value());
  if (elements == nullptr || std::cmp_not_equal(elements->size(), forest->features)) return;
  for (const Document& element : *elements) {
    const auto* const name = std::get_if<std::string>(&element.value());
    forest->feature_names.push_back(name == nullptr ? std::string() : *name);
  }
}

}  // namespace

bool IsXgboostDocument(const Document& document) {
  const Document* const learner = document.Find("learner");
  return learner != nullptr && learner->Find("gradient_booster") != nullptr;
}

base::Result<Forest> ReadXgboostDocument(const Document& document) {
  INFERD_ASSIGN_OR_RETURN(const Document* const learner, document.Get("learner"));
  Forest forest;
  INFERD_ASSIGN_OR_RETURN(forest.format, ReadVersion(document));
  std::vector<float> base_scores;
  INFERD_RETURN_IF_ERROR(ReadLearnerParams(*learner, &forest, &base_scores));
  INFERD_ASSIGN_OR_RETURN(const Document* const objective, learner->Get("objective"));
  INFERD_ASSIGN_OR_RETURN(const std::string name, objective->Text("name"));
  INFERD_RETURN_IF_ERROR(SetXgboostObjective(name, base_scores, &forest));
  INFERD_ASSIGN_OR_RETURN(const Booster booster, FindBooster(*learner));
  INFERD_RETURN_IF_ERROR(booster.linear ? ReadLinear(*booster.model, &forest) : ReadTrees(booster, &forest));
  ReadFeatureNames(*learner, &forest);
  return forest;
}

}  // namespace inferd::forest
