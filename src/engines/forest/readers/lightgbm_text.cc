#include "engines/forest/readers/lightgbm_text.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engines/forest/model/check_forest.h"
#include "engines/forest/readers/lightgbm_tree.h"
#include "engines/forest/readers/text_section.h"

namespace inferd::forest {

namespace {

constexpr std::string_view kEndOfTrees = "end of trees";

struct LightGbmObjective {
  std::string_view name;
  Link link;
};

// An objective with "sigmoid:" multiplies by it first; "sqrt" squares at the end.
constexpr LightGbmObjective kLightGbmObjectives[] = {
    {"regression", Link::kIdentity},
    {"regression_l1", Link::kIdentity},
    {"huber", Link::kIdentity},
    {"fair", Link::kIdentity},
    {"quantile", Link::kIdentity},
    {"mape", Link::kIdentity},
    {"poisson", Link::kExp},
    {"gamma", Link::kExp},
    {"tweedie", Link::kExp},
    {"binary", Link::kSigmoid},
    {"multiclass", Link::kSoftmax},
    {"multiclassova", Link::kSigmoid},
    {"cross_entropy", Link::kSigmoid},
    {"lambdarank", Link::kIdentity},
    {"cross_entropy_lambda", Link::kLog1pExp},
    {"rank_xendcg", Link::kIdentity},
    {"custom", Link::kIdentity},
};

// Returns the word with that prefix, without the prefix. Empty if there is none.
std::string_view WordAfter(std::string_view words, std::string_view prefix) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (word.starts_with(prefix)) return word.substr(prefix.size());
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return {};
}

size_t CountWords(std::string_view words) {
  size_t count = 0;
  bool in_word = false;
  for (const char c : words) {
    if (c != ' ' && !in_word) ++count;
    in_word = c != ' ';
  }
  return count;
}

// Checks redundant numbers of the head. The library refuses an inconsistent file, or reads beyond its arrays.
base::Status CheckCounts(const TextSection& head, const Forest& forest) {
  INFERD_ASSIGN_OR_RETURN(const int64_t classes, head.Integer("num_class", 1, kGroupsMax));
  if (classes != forest.groups) {
    return base::InvalidArgument("'num_class' is " + std::to_string(classes) + ", and 'num_tree_per_iteration' " +
                                 std::to_string(forest.groups));
  }
  const std::string_view of_objective = WordAfter(head.Text("objective"), "num_class:");
  if (!of_objective.empty() && of_objective != std::to_string(classes)) {
    return base::InvalidArgument("'num_class' is " + std::to_string(classes) + ", and of the objective " +
                                 std::string(of_objective));
  }
  for (const char* const key : {"feature_names", "feature_infos"}) {
    const size_t count = CountWords(head.Text(key));
    if (head.Has(key) && std::cmp_not_equal(count, forest.features)) {
      return base::InvalidArgument("'" + std::string(key) + "' has " + std::to_string(count) + " words for " +
                                   std::to_string(forest.features) + " features");
    }
  }
  return {};
}

base::Status SetTransform(std::string_view words, Forest* forest) {
  if (words.empty()) return {};  // trained with a user's own objective: predictions are margins
  const std::string_view name = words.substr(0, words.find(' '));
  const auto* const objective = std::ranges::find(kLightGbmObjectives, name, &LightGbmObjective::name);
  if (objective == std::end(kLightGbmObjectives)) {
    return base::InvalidArgument("objective '" + std::string(name) + "' is not known");
  }
  forest->transform.link = objective->link;
  if (objective->link == Link::kSoftmax) forest->classes = forest->groups;
  if ((" " + std::string(words) + " ").find(" sqrt ") != std::string::npos) {
    if (objective->link != Link::kIdentity) return base::InvalidArgument("'sqrt' is known for regression only");
    forest->transform.link = Link::kSignedSquare;
  }
  const std::string_view scale = WordAfter(words, "sigmoid:");
  if (scale.empty()) return {};
  const char* const end = scale.data() + scale.size();
  const auto [rest, error] = std::from_chars(scale.data(), end, forest->transform.scale);
  if (error == std::errc() && rest == end) return {};
  return base::InvalidArgument("objective '" + std::string(words) + "' has no number as its sigmoid");
}

void ReadFeatureNames(std::string_view words, Forest* forest) {
  std::vector<std::string> names;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    names.emplace_back(word);
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  if (std::cmp_equal(names.size(), forest->features)) forest->feature_names = std::move(names);
}

base::Status ReadHead(const TextSection& head, Forest* forest) {
  const std::string_view version = head.Text("version");
  if (version != "v2" && version != "v3" && version != "v4") {
    return base::InvalidArgument("LightGBM's version '" + std::string(version) + "' is none of v2, v3 and v4");
  }
  forest->format = "LightGBM " + std::string(version);
  forest->compares = forest->sums = Precision::kFloat64;
  forest->leaves_are_nodes = false;
  INFERD_ASSIGN_OR_RETURN(const int64_t groups, head.Integer("num_tree_per_iteration", 1, kGroupsMax));
  INFERD_ASSIGN_OR_RETURN(const int64_t last_feature, head.Integer("max_feature_idx", 0, kFeaturesMax - 1));
  forest->groups = static_cast<int32_t>(groups);
  forest->features = static_cast<int32_t>(last_feature + 1);
  INFERD_RETURN_IF_ERROR(CheckCounts(head, *forest));
  forest->start.assign(static_cast<size_t>(groups), 0);
  ReadFeatureNames(head.Text("feature_names"), forest);
  return SetTransform(head.Text("objective"), forest);
}

}  // namespace

bool IsLightGbmText(std::string_view content) {
  return content.starts_with("tree\nversion=") || content.starts_with("tree\r\nversion=");
}

base::Result<Forest> ReadLightGbmText(std::string_view content) {
  std::string_view rest = content;
  INFERD_ASSIGN_OR_RETURN(const TextSection head, TextSection::Take(&rest));
  Forest forest;
  INFERD_RETURN_IF_ERROR(ReadHead(head, &forest));
  while (true) {
    INFERD_ASSIGN_OR_RETURN(const TextSection section, TextSection::Take(&rest));
    if (section.Has(kEndOfTrees)) break;
    const size_t number = forest.trees.size();
    if (section.Text("Tree") != std::to_string(number)) {
      return std::unexpected(
          base::InvalidArgument("it ends before its 'end of trees', at tree " + std::to_string(number)));
    }
    auto tree = ReadLightGbmTree(section);
    if (!tree) return std::unexpected(tree.error().WithContext("tree " + std::to_string(number)));
    tree->group = static_cast<int32_t>(number % static_cast<size_t>(forest.groups));
    forest.trees.push_back(*std::move(tree));
  }
  if (const size_t sizes = CountWords(head.Text("tree_sizes"));
      head.Has("tree_sizes") && sizes != forest.trees.size()) {
    return std::unexpected(base::InvalidArgument("'tree_sizes' is of " + std::to_string(sizes) +
                                                 " trees, and the file has " + std::to_string(forest.trees.size())));
  }
  if (head.Has("average_output")) {
    const size_t iterations = std::max<size_t>(forest.trees.size() / forest.start.size(), 1);
    forest.transform.divisor = static_cast<double>(iterations);
  }
  return forest;
}

}  // namespace inferd::forest
