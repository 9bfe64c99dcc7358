#include "serving/scheduling/requests/shape_padding.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <new>
#include <optional>
#include <utility>

#include "serving/scheduling/requests/resized_tensor.h"

namespace inferd::scheduling {

namespace {

// A tensor of a request that must be resized.
struct Resized {
  size_t input = 0;  // its index in the request
  tensor::Shape shape;
  uint64_t element = 0;
};

bool MayGrow(const core::InferTensor& tensor, const tensor::Shape& shape) {
  const auto bytes = PaddedSize(tensor.datatype, tensor.data.size(), tensor.shape, shape);
  return bytes.has_value() && *bytes <= PaddedBytesMax(tensor.data.size());
}

}  // namespace

// Checks a configuration's rules against the signature, and compiles them.
class ShapePadding::Maker {
 public:
  Maker(const std::vector<config::PaddedDimension>& rules, const core::ModelSignature& signature)
      : configured_(rules), signature_(signature), batch_axes_(signature.max_batch_size > 0 ? 1 : 0) {}

  base::Result<std::vector<Rule>> Run() {
    if (configured_.size() > kRulesMax) {
      return std::unexpected(base::InvalidArgument("inferd.padding: expected at most " + std::to_string(kRulesMax) +
                                                   " rules, got " + std::to_string(configured_.size())));
    }
    for (const config::PaddedDimension& configured : configured_) {
      const std::string field = "inferd.padding[" + std::to_string(rules_.size()) + "]";
      Rule rule;
      INFERD_RETURN_IF_ERROR(FindInput(field, configured, rule));
      INFERD_RETURN_IF_ERROR(CheckBuckets(configured.buckets).WithContext(field + ".buckets"));
      INFERD_RETURN_IF_ERROR(SetElement(configured.value, rule).WithContext(field + ".value"));
      for (const config::PaddedDimension::Output& output : configured.outputs) {
        INFERD_RETURN_IF_ERROR(AddOutput(field + ".output[" + std::to_string(rule.outputs.size()) + "]", output, rule));
      }
      rule.buckets = configured.buckets;
      rules_.push_back(std::move(rule));
    }
    return std::move(rules_);
  }

 private:
  base::Status FindInput(const std::string& field, const config::PaddedDimension& configured, Rule& rule) const {
    rule.input = signature_.FindInput(configured.input);
    if (rule.input < 0) {
      return base::InvalidArgument(field + ".input: the model has no input '" + configured.input + "'");
    }
    const core::TensorSpec& spec = signature_.inputs[rule.input];
    if (spec.ragged) {
      return base::InvalidArgument(field + ".input: input '" + spec.name +
                                   "' is ragged: requests of any shapes share its batches without padding");
    }
    INFERD_ASSIGN_OR_RETURN(rule.axis, AxisOf(field + ".dim", "input", spec, configured.dim));
    const auto same = [&](const Rule& other) { return other.input == rule.input && other.axis == rule.axis; };
    if (std::ranges::any_of(rules_, same)) {
      return base::InvalidArgument(field + ".dim: dimension " + std::to_string(configured.dim) + " of input '" +
                                   spec.name + "' has a rule already");
    }
    return base::OkStatus();
  }

  base::Result<size_t> AxisOf(const std::string& field, const std::string& kind, const core::TensorSpec& spec,
                              int dim) const {
    const std::string tensor = kind + " '" + spec.name + "'";
    const auto dims = static_cast<int64_t>(spec.shape.rank()) - batch_axes_;
    if (dim < 0 || dim >= dims) {
      return std::unexpected(base::InvalidArgument(field + ": " + tensor + " has no dimension " + std::to_string(dim) +
                                                   " (they count from 0, without the batch dimension)"));
    }
    const auto axis = static_cast<size_t>(dim + batch_axes_);
    if (spec.shape[axis] != -1) {
      return std::unexpected(base::InvalidArgument(field + ": dimension " + std::to_string(dim) + " of " + tensor +
                                                   " is always " + std::to_string(spec.shape[axis]) +
                                                   ": only a variable dimension (-1) can be padded"));
    }
    return axis;
  }

  static base::Status CheckBuckets(const std::vector<int64_t>& buckets) {
    if (buckets.empty() || buckets.size() > kBucketsMax) {
      return base::InvalidArgument("expected 1 to " + std::to_string(kBucketsMax) + " sizes, got " +
                                   std::to_string(buckets.size()));
    }
    int64_t before = 0;
    for (const int64_t bucket : buckets) {
      if (bucket <= before) {
        return base::InvalidArgument("expected ascending sizes above 0, got " + std::to_string(bucket) + " after " +
                                     std::to_string(before));
      }
      before = bucket;
    }
    return base::OkStatus();
  }

  base::Status SetElement(double value, Rule& rule) const {
    const core::TensorSpec& spec = signature_.inputs[rule.input];
    INFERD_ASSIGN_OR_RETURN(rule.element, ElementOf(spec.datatype, value));
    const auto differs = [&](const Rule& other) { return other.input == rule.input && other.element != rule.element; };
    if (std::ranges::none_of(rules_, differs)) return base::OkStatus();
    return base::InvalidArgument("input '" + spec.name + "' has another value in another rule");
  }

  base::Status AddOutput(const std::string& field, const config::PaddedDimension::Output& output, Rule& rule) const {
    const int index = signature_.FindOutput(output.name);
    if (index < 0) return base::InvalidArgument(field + ".name: the model has no output '" + output.name + "'");
    Output made{.name = output.name};
    INFERD_ASSIGN_OR_RETURN(made.axis, AxisOf(field + ".dim", "output", signature_.outputs[index], output.dim));
    const auto cuts = [&](const Rule& other) {
      return std::ranges::any_of(other.outputs,
                                 [&](const Output& o) { return o.name == made.name && o.axis == made.axis; });
    };
    if (std::ranges::any_of(rules_, cuts) || cuts(rule)) {
      return base::InvalidArgument(field + ".dim: dimension " + std::to_string(output.dim) + " of output '" +
                                   output.name + "' is cut already");
    }
    rule.outputs.push_back(std::move(made));
    return base::OkStatus();
  }

  const std::vector<config::PaddedDimension>& configured_;
  const core::ModelSignature& signature_;
  const int batch_axes_;
  std::vector<Rule> rules_;
};

// Cuts one request's outputs to its own sizes.
class ShapePadding::Cutter {
 public:
  explicit Cutter(std::shared_ptr<const std::vector<Rule>> rules) : rules_(std::move(rules)) {}

  // Notes that the dimension of `rule` was padded from `from` to `to`.
  void Add(const Rule& rule, int64_t from, int64_t to) {
    for (const Output& output : rule.outputs) cuts_.push_back({.output = &output, .padded = to, .own = from});
  }
  bool empty() const { return cuts_.empty(); }

  base::Status Apply(std::vector<core::InferTensor>& outputs) const {
    for (core::InferTensor& tensor : outputs) {
      tensor::Shape shape = tensor.shape;
      for (const Cut& cut : cuts_) {
        if (cut.output->name != tensor.name || cut.output->axis >= shape.rank()) continue;
        int64_t& dim = shape[cut.output->axis];
        if (dim == cut.padded) dim = cut.own;
      }
      if (shape != tensor.shape) INFERD_RETURN_IF_ERROR(CutTo(std::move(shape), tensor));
    }
    return base::OkStatus();
  }

 private:
  static base::Status CutTo(tensor::Shape shape, core::InferTensor& tensor) {
    std::optional<base::BufferSlice> data;
    try {
      data = Cropped(tensor.datatype, tensor.data, tensor.shape, shape);
    } catch (const std::bad_alloc&) {
      return base::ResourceExhausted("no memory for output '" + tensor.name + "' in shape " + shape.ToString());
    }
    if (!data.has_value()) {
      return base::Internal("the engine returned output '" + tensor.name + "' in shape " + tensor.shape.ToString() +
                            " with " + std::to_string(tensor.data.size()) + " bytes, which do not fit");
    }
    tensor.shape = std::move(shape);
    tensor.data = *std::move(data);
    return base::OkStatus();
  }

  struct Cut {
    const Output* output;
    int64_t padded;
    int64_t own;
  };

  std::shared_ptr<const std::vector<Rule>> rules_;  // `cuts_` points into them
  boost::container::small_vector<Cut, 2> cuts_;
};

base::Result<ShapePadding> ShapePadding::Make(const std::vector<config::PaddedDimension>& rules,
                                              const core::ModelSignature& signature) {
  if (rules.empty()) return ShapePadding();
  INFERD_ASSIGN_OR_RETURN(std::vector<Rule> made, Maker(rules, signature).Run());
  return ShapePadding(std::move(made));
}

void ShapePadding::Pad(core::QueuedRequest& queued) const {
  if (rules_ == nullptr) return;
  auto& inputs = queued.request->inputs;
  boost::container::small_vector<Resized, 2> resized;
  Cutter cutter(rules_);
  for (const Rule& rule : *rules_) {
    const auto place = std::ranges::find(queued.layout.inputs, rule.input);
    if (place == queued.layout.inputs.end()) continue;  // optional and absent
    const auto input = static_cast<size_t>(place - queued.layout.inputs.begin());
    const int64_t size = inputs[input].shape[rule.axis];
    const auto bucket = std::ranges::lower_bound(rule.buckets, size);
    if (bucket == rule.buckets.end()) return;
    if (*bucket == size) continue;
    auto entry = std::ranges::find(resized, input, &Resized::input);
    if (entry == resized.end()) {
      resized.push_back({.input = input, .shape = inputs[input].shape, .element = rule.element});
      entry = std::prev(resized.end());
    }
    entry->shape[rule.axis] = *bucket;
    cutter.Add(rule, size, *bucket);
  }
  for (const Resized& r : resized) {
    if (!MayGrow(inputs[r.input], r.shape)) return;
  }

  boost::container::small_vector<base::BufferSlice, 2> padded;
  try {
    for (const Resized& r : resized) {
      const core::InferTensor& tensor = inputs[r.input];
      padded.push_back(Padded(tensor.datatype, tensor.data, tensor.shape, r.shape, r.element));
    }
  } catch (const std::bad_alloc&) {
    return;
  }
  for (size_t i = 0; i < resized.size(); ++i) {
    inputs[resized[i].input].shape = std::move(resized[i].shape);
    inputs[resized[i].input].data = std::move(padded[i]);
  }
  if (cutter.empty()) return;
  queued.completion = core::Completion(
      [cutter = std::move(cutter), client = std::move(queued.completion)](core::InferResponse response) mutable {
        if (response.status.ok()) response.status = cutter.Apply(response.outputs);
        if (!response.status.ok()) response.outputs.clear();
        client.Send(std::move(response));
      });
}

}  // namespace inferd::scheduling
