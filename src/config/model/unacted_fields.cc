#include "config/model/unacted_fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <ranges>
#include <tuple>

#include "base/text/printable.h"
#include "config/accelerator_parameters.h"
#include "config/model/document_fields.h"
#include "config/model/instance_groups.h"
#include "config/model/model_config_place.h"
#include "config/own_engines.h"

namespace inferd::config {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr size_t kDescribedMax = 10;
constexpr std::string_view kNoGpus = "the server has no GPUs";
constexpr std::string_view kNoProvider = "the engine has no execution provider";  // the provider's name follows

constexpr std::string_view kNotOnGpus = "the model is on no GPU";

constexpr std::string_view kInputPinnedField = "optimization.input_pinned_memory";
constexpr std::string_view kOutputPinnedField = "optimization.output_pinned_memory";
constexpr std::string_view kCudaField = "optimization.cuda";
constexpr std::string_view kGpuAcceleratorField = "optimization.execution_accelerators.gpu_execution_accelerator";

constexpr UnactedField kFields[] = {
    {"runtime", "the engine's library is found by platform or backend"},
    {"optimization.priority", "it ranks the work of a GPU; on the CPU, rate_limiter.priority does"},
    {kCudaField, kNoGpus, true},
    {"optimization.cuda.busy_wait_events", "executions wait for a GPU as the engine's library does", true},
    {"optimization.cuda.graph_spec", "every set of shapes gets a graph when it first comes", true},
    {"optimization.cuda.output_copy_stream", "outputs are copied as the engine's library does", true},
    {kGpuAcceleratorField, kNoProvider, true},
    {"optimization.execution_accelerators.cpu_execution_accelerator", kNoProvider, true},
    {kInputPinnedField, kNotOnGpus},
    {kOutputPinnedField, kNotOnGpus},
    {"optimization.gather_kernel_buffer_threshold", "the pieces of an input are gathered by copies, however many"},
    {"instance_group.gpus", "the group is on the CPU"},
    {"instance_group.secondary_devices", "the server has no devices but the CPU", true},
    {"instance_group.passive", "every instance executes requests"},
    {"cc_model_filenames", kNoGpus},
};

// Returns true if any field of the message is set.
bool HasContent(const Message& message) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  return std::ranges::any_of(fields, [&](const FieldDescriptor* field) {
    const bool one_message = !field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    return !one_message || HasContent(reflection->GetMessage(message, field));
  });
}

// Returns " 'tensorrt'", or "" if it has no name.
std::string NameOf(const Message& message) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName("name");
  if (field == nullptr) return "";
  const std::string name = message.GetReflection()->GetString(message, field);
  return name.empty() ? "" : " " + base::QuotedName(name);
}

bool HasGroupOnGpus(const inference::ModelConfig& config, const EngineGpus& gpus) {
  // A configuration without groups gets one with default fields.
  if (config.instance_group().empty()) return IsOnGpus({}, gpus);
  return std::ranges::any_of(config.instance_group(), [&gpus](const auto& group) { return IsOnGpus(group, gpus); });
}

// Walks through a message and collects its fields that are in the table.
class UnactedFinder {
 public:
  // `on_gpus` is true if the model has instances on GPUs.
  UnactedFinder(std::string_view engine, const EngineGpus& gpus, bool on_gpus)
      : own_engine_(FindOwnEngine(engine) != nullptr),
        gpus_(gpus),
        on_gpus_(on_gpus),
        accelerated_(on_gpus && engine == kAcceleratedEngine) {}

  // `path` is the message's own, as in the table.
  void Find(const Message& message, const Place& place, const std::string& path) {
    const auto* reflection = message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      const std::string field_path = path.empty() ? field->name() : path + "." + field->name();
      const auto* const row = std::ranges::find(kFields, std::string_view(field_path), &UnactedField::path);
      if (row != std::end(kFields) && !ActedOnHere(message, *field) && !IsAccelerated(field_path)) {
        if (own_engine_ || !row->up_to_engine) Note(*row, message, field, place);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_map()) {
        FindInside(message, field, place, field_path);
      }
    }
  }

  // Finds buckets of histograms that do not exist.
  void FindFamilies(const inference::ModelMetrics& metrics, const Place& place) {
    for (int i = 0; i < metrics.metric_control_size(); ++i) {
      const std::string& family = metrics.metric_control(i).metric_identifier().family();
      if (std::ranges::find(kBucketFamilies, family) != std::end(kBucketFamilies)) continue;
      found_.push_back(place.In("metric_control", i)
                           .At("metric_identifier",
                               "not acted on: there is no histogram " + base::QuotedName(family) + " of a model"));
    }
  }

  std::vector<std::string> Describe() {
    std::ranges::sort(found_, {}, [](const Problem& p) { return std::tie(p.line, p.column, p.field, p.message); });
    std::vector<std::string> texts;
    for (const Problem& item : found_ | std::views::take(kDescribedMax)) texts.push_back(item.ToString());
    if (found_.size() > kDescribedMax) {
      texts.push_back("and " + std::to_string(found_.size() - kDescribedMax) + " more fields are not acted on");
    }
    return texts;
  }

 private:
  // GPUs have an effect if the group runs on them.
  bool ActedOnHere(const Message& message, const FieldDescriptor& field) const {
    const auto* const group = dynamic_cast<const inference::ModelInstanceGroup*>(&message);
    return group != nullptr && field.name() == "gpus" && IsOnGpus(*group, gpus_);
  }

  // True if instances on GPUs use the field, or parts of it.
  bool IsAccelerated(std::string_view path) const {
    if (path == kInputPinnedField || path == kOutputPinnedField) return on_gpus_;
    return accelerated_ && (path == kCudaField || path == kGpuAcceleratorField);
  }

  void FindInside(const Message& message, const FieldDescriptor* field, const Place& place, const std::string& path) {
    const auto* reflection = message.GetReflection();
    if (!field->is_repeated()) {
      return Find(reflection->GetMessage(message, field), place.In(field->name()), path);
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      Find(reflection->GetRepeatedMessage(message, field, i), place.In(field->name(), i), path);
    }
  }

  // Messages of a list are reported one by one, other values together.
  void Note(const UnactedField& row, const Message& message, const FieldDescriptor* field, const Place& place) {
    const auto* reflection = message.GetReflection();
    const std::string text = "not acted on: " + std::string(row.reason);
    const bool of_messages = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_map();
    if (!of_messages || !field->is_repeated()) {
      if (of_messages && !HasContent(reflection->GetMessage(message, field))) return;
      found_.push_back(place.At(field->name(), text));
      return;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      const Message& element = reflection->GetRepeatedMessage(message, field, i);
      found_.push_back(place.At(field->name(), i, text + NameOf(element)));
    }
  }

  const bool own_engine_;
  const EngineGpus gpus_;
  const bool on_gpus_;
  const bool accelerated_;  // on GPUs, by an engine that uses more fields there
  std::vector<Problem> found_;
};

}  // namespace

std::span<const UnactedField> UnactedFields() { return kFields; }

std::vector<std::string> DescribeUnactedFields(const ModelConfigDocument& document, std::string_view engine,
                                               const EngineGpus& gpus) {
  UnactedFinder finder(engine, gpus, HasGroupOnGpus(document.message().proto, gpus));
  finder.Find(document.message().proto, Place(document.message()), "");
  finder.FindFamilies(document.message().proto.model_metrics(), Place(document.message()).In("model_metrics"));
  return finder.Describe();
}

}  // namespace inferd::config
