#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "config/checks/checks.h"

// inferd { padding }: a rule's tensors and dimensions must exist, be of variable size, and be in no other rule.

namespace inferd::config {
namespace {

using Padding = inference::InferdOptions::Padding;

template <typename Tensor>
using ByName = std::map<std::string_view, const Tensor*>;

template <typename Tensor>
ByName<Tensor> IndexByName(const google::protobuf::RepeatedPtrField<Tensor>& tensors) {
  ByName<Tensor> index;
  for (const Tensor& tensor : tensors) index.emplace(tensor.name(), &tensor);
  return index;
}

// Returns nullptr, and possibly reports a problem, if there is none of that name. Tensors that are not written come
// from the model: completion checks again.
template <typename Tensor>
const Tensor* FindTensor(CheckContext& c, const Place& place, std::string_view field, std::string_view kind,
                         const std::string& name, const ByName<Tensor>& tensors) {
  const auto it = tensors.find(name);
  if (it != tensors.end()) return it->second;
  if (name.empty() || !tensors.empty()) {
    c.problems.push_back(
        place.At(field, "padding names unknown " + std::string(kind) + " '" + name + "' for " + c.model));
  }
  return nullptr;
}

template <typename Tensor>
void CheckDim(CheckContext& c, const Place& place, std::string_view kind, const Tensor& tensor, int dim) {
  // Without dims, the model decides. The scheduler uses the model's.
  if (tensor.dims().empty()) return;
  if (dim >= 0 && dim < tensor.dims_size() && tensor.dims(dim) == -1) return;
  c.problems.push_back(place.At("dim", "dimension " + std::to_string(dim) + " of " + std::string(kind) + " '" +
                                           tensor.name() + "' is not of variable size for " + c.model));
}

// Returns true if the datatype can represent the padding value.
bool Holds(inference::DataType type, double value) {
  const auto whole = [value](double min, double max) {
    return value >= min && value <= max && std::trunc(value) == value;
  };
  switch (type) {
    case inference::TYPE_BOOL: return whole(0, 1);
    case inference::TYPE_UINT8: return whole(0, 0xff);
    case inference::TYPE_UINT16: return whole(0, 0xffff);
    case inference::TYPE_UINT32: return whole(0, 0xffffffff);
    case inference::TYPE_UINT64: return whole(0, 0x1.fffffffffffffp63);
    case inference::TYPE_INT8: return whole(-0x80, 0x7f);
    case inference::TYPE_INT16: return whole(-0x8000, 0x7fff);
    case inference::TYPE_INT32: return whole(-0x80000000LL, 0x7fffffff);
    case inference::TYPE_INT64: return whole(-0x1p63, 0x1.fffffffffffffp62);
    case inference::TYPE_STRING: return value == 0;  // an empty string
    default: return true;
  }
}

void CheckBuckets(CheckContext& c, const Place& place, const Padding& rule) {
  const auto& buckets = rule.buckets();
  if (buckets.empty()) c.problems.push_back(place.Here("padding must specify 'buckets' for " + c.model));
  if (std::ranges::any_of(buckets, [](int64_t bucket) { return bucket <= 0; })) {
    c.problems.push_back(place.At("buckets", "padding buckets must be positive for " + c.model));
  } else if (std::ranges::adjacent_find(buckets, std::greater_equal()) != buckets.end()) {
    c.problems.push_back(place.At("buckets", "padding buckets must be ascending for " + c.model));
  }
}

// Checks the rules one after the other: no dimension may be in two.
class PaddingCheck {
 public:
  explicit PaddingCheck(CheckContext& c)
      : c_(c), inputs_(IndexByName(c.config.input())), outputs_(IndexByName(c.config.output())) {}

  void Check(const Place& place, const Padding& rule) {
    CheckBuckets(c_, place, rule);
    CheckInput(place, rule);
    for (int i = 0; i < rule.output_size(); ++i) CheckOutput(place.In("output", i), rule.output(i));
  }

 private:
  using Dimension = std::pair<std::string, int>;

  void CheckInput(const Place& place, const Padding& rule) {
    if (!padded_.emplace(rule.input(), rule.dim()).second) {
      c_.problems.push_back(place.Here("dimension " + std::to_string(rule.dim()) + " of input '" + rule.input() +
                                       "' is padded twice for " + c_.model));
    }
    const auto* input = FindTensor(c_, place, "input", "input", rule.input(), inputs_);
    if (input == nullptr) return;
    CheckDim(c_, place, "input", *input, rule.dim());
    if (input->allow_ragged_batch()) {
      c_.problems.push_back(
          place.At("input", "input '" + rule.input() + "' is ragged, and not to be padded, for " + c_.model));
    }
    if (!Holds(input->data_type(), rule.value())) {
      c_.problems.push_back(
          place.At("value", "padding value is no " + DataTypeText(input->data_type()) + " for " + c_.model));
    }
  }

  void CheckOutput(const Place& place, const Padding::Output& cut) {
    if (!cut_.emplace(cut.name(), cut.dim()).second) {
      c_.problems.push_back(place.Here("dimension " + std::to_string(cut.dim()) + " of output '" + cut.name() +
                                       "' is cut twice for " + c_.model));
    }
    const auto* output = FindTensor(c_, place, "name", "output", cut.name(), outputs_);
    if (output != nullptr) CheckDim(c_, place, "output", *output, cut.dim());
  }

  CheckContext& c_;
  const ByName<inference::ModelInput> inputs_;
  const ByName<inference::ModelOutput> outputs_;
  std::set<Dimension> padded_;
  std::set<Dimension> cut_;
};

}  // namespace

void CheckPadding(CheckContext& c, const Place& place) {
  PaddingCheck check(c);
  const auto& rules = c.config.inferd().padding();
  for (int i = 0; i < rules.size(); ++i) check.Check(place.In("padding", i), rules[i]);
}

}  // namespace inferd::config
