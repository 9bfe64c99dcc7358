#include "engines/forest/readers/xgboost_objective.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>

namespace inferd::forest {

namespace {

// The margin of a base score.
enum class Margin : uint8_t { kSame, kLogit, kLog };

struct Objective {
  std::string_view name;
  Link link;
  Margin margin;
};

constexpr Objective kObjectives[] = {
    {"reg:squarederror", Link::kIdentity, Margin::kSame},
    {"reg:linear", Link::kIdentity, Margin::kSame},
    {"reg:squaredlogerror", Link::kIdentity, Margin::kSame},
    {"reg:pseudohubererror", Link::kIdentity, Margin::kSame},
    {"reg:absoluteerror", Link::kIdentity, Margin::kSame},
    {"reg:quantileerror", Link::kIdentity, Margin::kSame},
    {"reg:logistic", Link::kXgboostSigmoid, Margin::kLogit},
    {"reg:gamma", Link::kExp, Margin::kLog},
    {"reg:tweedie", Link::kExp, Margin::kLog},
    {"binary:logistic", Link::kXgboostSigmoid, Margin::kLogit},
    {"binary:logitraw", Link::kIdentity, Margin::kSame},
    {"binary:hinge", Link::kPositive, Margin::kSame},
    {"count:poisson", Link::kExp, Margin::kLog},
    {"survival:cox", Link::kExp, Margin::kLog},
    {"survival:aft", Link::kExp, Margin::kLog},
    {"multi:softmax", Link::kArgmax, Margin::kSame},
    {"multi:softprob", Link::kSoftmax, Margin::kSame},
    {"rank:pairwise", Link::kIdentity, Margin::kSame},
    {"rank:ndcg", Link::kIdentity, Margin::kSame},
    {"rank:map", Link::kIdentity, Margin::kSame},
};

float ToMargin(Margin margin, float score) {
  switch (margin) {
    case Margin::kLogit: return -std::log(1.0F / score - 1.0F);
    case Margin::kLog: return std::log(score);
    default: return score;
  }
}

}  // namespace

base::Status SetXgboostObjective(std::string_view name, const std::vector<float>& base_scores, Forest* forest) {
  const auto* const objective = std::ranges::find(kObjectives, name, &Objective::name);
  if (objective == std::end(kObjectives)) {
    return base::InvalidArgument("objective '" + std::string(name) + "' is not known");
  }
  const auto groups = static_cast<size_t>(forest->groups);
  if (base_scores.size() != 1 && base_scores.size() != groups) {
    return base::InvalidArgument("there are " + std::to_string(base_scores.size()) + " base scores for " +
                                 std::to_string(groups) + " outputs");
  }
  forest->transform.link = objective->link;
  const bool one_target = objective->link == Link::kSoftmax || objective->link == Link::kArgmax;
  forest->classes = one_target ? forest->groups : 1;
  forest->start.clear();
  for (size_t i = 0; i < groups; ++i) {
    const float score = base_scores[base_scores.size() == 1 ? 0 : i];
    const float margin = ToMargin(objective->margin, score);
    if (!std::isfinite(margin)) {
      return base::InvalidArgument("objective '" + std::string(name) + "' cannot have base score " +
                                   std::to_string(score));
    }
    forest->start.push_back(margin);
  }
  return {};
}

base::Result<std::vector<float>> ParseBaseScores(std::string_view text) {
  std::string_view rest = text;
  const bool list = rest.starts_with('[') && rest.ends_with(']');
  if (list) rest = rest.substr(1, rest.size() - 2);
  std::vector<float> scores;
  while (true) {
    float score = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), score);
    if (error != std::errc()) break;
    scores.push_back(score);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (rest.empty() && (list || scores.size() == 1)) return scores;
    if (!rest.starts_with(',')) break;
    rest.remove_prefix(1);
  }
  return std::unexpected(base::InvalidArgument("'base_score' is '" + std::string(text) + "', which is no number"));
}

}  // namespace inferd::forest
