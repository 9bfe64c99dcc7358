#include "config/model/unacted_fields.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <ranges>

#include "config/checks/problems_fixture.h"
#include "config/model/model_config_completion.h"
#include "config/model_config.pb.h"

namespace inferd::config {
namespace unacted_fields_test {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The fields that the server acts on: the path of a message, and its fields. A nested message has a row of its own; a
// map of messages counts as a list of them. Add a new field of ModelConfig here or in unacted_fields.cc.
struct ActedOn {
  std::string_view message;
  std::string_view fields;
};
constexpr ActedOn kActedOn[] = {
    // Resolution, the engine, metrics. `tags` become metric_tags when they are parsed.
    {"", "name platform backend max_batch_size default_model_filename metric_tags tags"},
    {"version_policy", "all"},
    {"version_policy.latest", "num_versions"},
    {"version_policy.specific", "versions"},
    {"parameters", "string_value"},
    {"model_operations", "op_library_filename"},
    {"optimization", "eager_batching"},
    {"optimization.graph", "level"},
    // Signatures and the execution's tensors.
    {"input", "name data_type dims allow_ragged_batch optional"},
    {"input.reshape", "shape"},
    {"output", "name data_type dims label_filename"},
    {"output.reshape", "shape"},
    {"batch_input", "kind target_name data_type source_input"},
    {"batch_output", "target_name kind source_input"},
    // Scheduling.
    {"dynamic_batching",
     "preferred_batch_size max_queue_delay_microseconds preserve_ordering priority_levels default_priority_level"},
    {"dynamic_batching.default_queue_policy",
     "timeout_action default_timeout_microseconds allow_timeout_override max_queue_size"},
    {"dynamic_batching.priority_queue_policy",
     "timeout_action default_timeout_microseconds allow_timeout_override max_queue_size"},
    {"sequence_batching", "max_sequence_idle_microseconds iterative_sequence"},
    // A state uses the memory of its output, and may always grow.
    {"sequence_batching.state",
     "input_name output_name data_type dims use_same_buffer_for_input_output use_growable_memory"},
    {"sequence_batching.state.initial_state", "data_type dims zero_data data_file name"},
    {"sequence_batching.control_input", "name"},
    {"sequence_batching.control_input.control", "kind int32_false_true fp32_false_true bool_false_true data_type"},
    {"sequence_batching.direct", "max_queue_delay_microseconds minimum_slot_utilization"},
    {"sequence_batching.oldest",
     "max_candidate_sequences preferred_batch_size max_queue_delay_microseconds preserve_ordering"},
    {"model_transaction_policy", "decoupled"},
    {"ensemble_scheduling", "max_inflight_requests"},
    {"ensemble_scheduling.step", "model_name model_version input_map output_map"},
    {"ensemble_scheduling.step.inferd", "weight"},
    {"ensemble_scheduling.step.inferd.when", "tensor parameter equals not_equals less greater present"},
    {"ensemble_scheduling.step.inferd.default", "output tensor value dims"},
    {"ensemble_scheduling.step.inferd.choice", "model_name model_version weight"},
    {"ensemble_scheduling.step.inferd.shadow", "model_name model_version percent"},
    {"instance_group", "name kind count host_policy"},
    {"instance_group.rate_limiter", "priority"},
    {"instance_group.rate_limiter.resources", "name global count"},
    {"response_cache", "enable"},
    {"model_repository_agents.agents", "name parameters"},
    {"model_metrics.metric_control.metric_identifier", "family"},
    {"model_metrics.metric_control.histogram_options", "buckets"},
    // Warm-up.
    {"model_warmup", "name batch_size count"},
    {"model_warmup.inputs", "data_type dims zero_data random_data input_data_file"},
    // inferd's own fields.
    {"inferd",
     "inline_execution inline_execution_max_microseconds batching latency_objective_us split_large_requests "
     "side_effect_free version_labels isolation pinned version_transition memory_bytes gpu_memory_bytes "
     "v1_dialect"},
    {"inferd.depends_on", "model version"},
    {"inferd.explainer", "model version"},
    {"inferd.queue_policy", "timeout_action default_timeout_microseconds allow_timeout_override max_queue_size"},
    {"inferd.padding", "input dim buckets value"},
    {"inferd.padding.output", "name dim"},
    {"inferd.concurrency", "min max"},
    {"inferd.worker", "hang_timeout_ms shared_memory_bytes body_memory_bytes"},
    {"inferd.batch_padding", "allowed_sizes to_largest_shape"},
};

// Triton's server does not act on it either: clients read the layout of images from the configuration.
constexpr std::string_view kForClients[] = {"input.format"};

// A field that FindProblems() refuses, and a configuration that has it. A message covers all fields in it.
struct Refused {
  std::string_view path;
  std::string_view config;
};
constexpr Refused kRefused[] = {
    {"input.is_shape_tensor", "input { name: \"i\" is_shape_tensor: true }"},
    {"input.is_non_linear_format_io", "input { name: \"i\" is_non_linear_format_io: true }"},
    {"output.is_shape_tensor", "output { name: \"o\" is_shape_tensor: true }"},
    {"output.is_non_linear_format_io", "output { name: \"o\" is_non_linear_format_io: true }"},
    {"ensemble_scheduling.step.model_namespace",
     "platform: \"ensemble\" input { name: \"i\" data_type: TYPE_FP32 dims: 1 } "
     "output { name: \"o\" data_type: TYPE_FP32 dims: 1 } ensemble_scheduling { step { model_name: \"x\" "
     "model_namespace: \"n\" input_map { key: \"a\" value: \"i\" } output_map { key: \"b\" value: \"o\" } } }"},
    {"instance_group.profile", "instance_group { profile: \"p\" }"},
};

// Returns the message in a field, or in the values of a map; nullptr if there is none.
const Descriptor* MessageIn(const FieldDescriptor& field) {
  return field.is_map() ? field.message_type()->map_value()->message_type() : field.message_type();
}

// Appends every field that has no nested fields.
void AppendPaths(const Descriptor& type, const std::string& prefix, std::vector<std::string>& paths) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const std::string path = prefix + field.name();
    const Descriptor* inside = MessageIn(field);
    if (inside == nullptr || inside->field_count() == 0) {
      paths.push_back(path);
    } else {
      AppendPaths(*inside, path + ".", paths);
    }
  }
}

std::vector<std::string> AllPaths() {
  std::vector<std::string> paths;
  AppendPaths(*inference::ModelConfig::descriptor(), "", paths);
  return paths;
}

// Returns true if `path` is the field, or a message that contains it.
bool Covers(std::string_view path, std::string_view field) {
  return field == path || (field.starts_with(path) && field[path.size()] == '.');
}

std::vector<std::string> ActedOnPaths() {
  std::vector<std::string> paths;
  for (const ActedOn& row : kActedOn) {
    for (const auto word : row.fields | std::views::split(' ')) {
      const std::string name(word.begin(), word.end());
      paths.push_back(row.message.empty() ? name : std::string(row.message) + "." + name);
    }
  }
  return paths;
}

// Returns the lists that contain a field.
std::vector<std::string> ListsOf(const std::string& field) {
  std::vector<std::string> lists;
  if (std::ranges::count(ActedOnPaths(), field) > 0) lists.emplace_back("acted on");
  if (std::ranges::count(kForClients, field) > 0) lists.emplace_back("for clients");
  const auto covers = [&field](const auto& row) { return Covers(row.path, field); };
  if (std::ranges::any_of(kRefused, covers)) lists.emplace_back("refused");
  if (std::ranges::any_of(UnactedFields(), covers)) lists.emplace_back("not acted on");
  return lists;
}

constexpr EngineGpus kGpus = {.count = 1, .preferred = true};

std::vector<std::string> NotesOf(std::string_view text, std::string_view engine = "onnxruntime",
                                 const EngineGpus& gpus = {}) {
  const auto config = ParseModelConfig(text, "c");
  if (!config.has_value()) return {config.error().ToString()};
  return DescribeUnactedFields(*config->document, engine, gpus);
}

TEST(UnactedFieldsTest, EveryFieldOfTheMessageIsInOneOfTheLists) {
  for (const std::string& field : AllPaths()) EXPECT_THAT(ListsOf(field), SizeIs(1)) << field;
}

TEST(UnactedFieldsTest, TheListsNameFieldsOfTheMessage) {
  const std::vector<std::string> fields = AllPaths();
  for (const std::string& path : ActedOnPaths()) EXPECT_THAT(fields, Contains(path));
  for (const std::string_view path : kForClients) EXPECT_THAT(fields, Contains(path));
  const auto named = [&fields](std::string_view path) {
    return std::ranges::any_of(fields, [path](const std::string& field) { return Covers(path, field); });
  };
  for (const Refused& row : kRefused) EXPECT_TRUE(named(row.path)) << row.path;
  for (const UnactedField& row : UnactedFields()) EXPECT_TRUE(named(row.path)) << row.path;
}

TEST(UnactedFieldsTest, WhatIsListedAsRefusedIsRefused) {
  for (const auto& [path, config] : kRefused) {
    const std::string name(path.substr(path.rfind('.') + 1));
    EXPECT_THAT(ProblemsOf("name: \"M\"\n" + std::string(config)), Contains(HasSubstr(name + ": "))) << path;
  }
}

struct NoteCase {
  std::string_view path;  // as in the table
  std::string_view config;
  std::string_view note;  // after the file's name
  EngineGpus gpus = {};
};
constexpr NoteCase kNotes[] = {
    {"runtime", "runtime: \"r.so\"",
     "1:1: runtime: not acted on: the engine's library is found by platform or backend"},
    {"optimization.priority", "optimization {\n  priority: PRIORITY_MIN }",
     "2:3: optimization.priority: not acted on: it ranks the work of a GPU; on the CPU, rate_limiter.priority does"},
    {"optimization.cuda", "optimization { cuda { graphs: true busy_wait_events: true } }",
     "1:16: optimization.cuda: not acted on: the server has no GPUs"},
    {"optimization.cuda.busy_wait_events", "optimization { cuda { graphs: true busy_wait_events: true } }",
     "1:36: optimization.cuda.busy_wait_events: not acted on: executions wait for a GPU as the engine's library does",
     kGpus},
    {"optimization.cuda.graph_spec", "optimization { cuda { graph_spec { batch_size: 1 } } }",
     "1:23: optimization.cuda.graph_spec[0]: not acted on: every set of shapes gets a graph when it first comes",
     kGpus},
    {"optimization.cuda.output_copy_stream", "optimization { cuda { output_copy_stream: true } }",
     "1:23: optimization.cuda.output_copy_stream: not acted on: outputs are copied as the engine's library does",
     kGpus},
    {"optimization.execution_accelerators.gpu_execution_accelerator",
     "optimization { execution_accelerators {\n gpu_execution_accelerator { name: \"tensorrt\" } } }",
     "2:2: optimization.execution_accelerators.gpu_execution_accelerator[0]: not acted on: the engine has no execution "
     "provider 'tensorrt'"},
    {"optimization.execution_accelerators.cpu_execution_accelerator",
     "optimization { execution_accelerators {\n cpu_execution_accelerator { name: \"openvino\" } } }",
     "2:2: optimization.execution_accelerators.cpu_execution_accelerator[0]: not acted on: the engine has no execution "
     "provider 'openvino'"},
    {"optimization.input_pinned_memory", "optimization { input_pinned_memory { enable: true } }",
     "1:16: optimization.input_pinned_memory: not acted on: the model is on no GPU"},
    {"optimization.output_pinned_memory", "optimization { output_pinned_memory { enable: true } }",
     "1:16: optimization.output_pinned_memory: not acted on: the model is on no GPU"},
    {"optimization.gather_kernel_buffer_threshold", "optimization { gather_kernel_buffer_threshold: 8 }",
     "1:16: optimization.gather_kernel_buffer_threshold: not acted on: the pieces of an input are gathered by copies, "
     "however many"},
    {"instance_group.gpus", "instance_group [ { },\n { gpus: [ 0, 1 ] } ]",
     "2:4: instance_group[1].gpus: not acted on: the group is on the CPU"},
    {"instance_group.secondary_devices", "instance_group { secondary_devices { kind: KIND_NVDLA device_id: 1 } }",
     "1:18: instance_group[0].secondary_devices[0]: not acted on: the server has no devices but the CPU"},
    {"instance_group.passive", "instance_group { passive: true }",
     "1:18: instance_group[0].passive: not acted on: every instance executes requests"},
    {"cc_model_filenames", "cc_model_filenames { key: \"7.5\" value: \"m75.onnx\" }",
     "1:1: cc_model_filenames: not acted on: the server has no GPUs"},
    {"",  // of some families
     "\n\n  model_metrics { metric_control { metric_identifier { family: \"f\" } histogram_options { buckets: 1 } } }",
     "3:36: model_metrics.metric_control[0].metric_identifier: not acted on: there is no histogram 'f' of a model"},
};

TEST(UnactedFieldsTest, EachIsNotedWithItsPlaceAndTheReason) {
  for (const NoteCase& item : kNotes) {
    EXPECT_THAT(NotesOf(item.config, "onnxruntime", item.gpus), ElementsAre("c:" + std::string(item.note)))
        << item.path;
  }
  for (const UnactedField& row : UnactedFields()) {
    EXPECT_EQ(std::ranges::count(kNotes, row.path, &NoteCase::path), 1) << row.path;
  }
}

TEST(UnactedFieldsTest, WhatIsAsByDefaultIsNot) {
  EXPECT_THAT(NotesOf(""), IsEmpty());
  EXPECT_THAT(NotesOf("model_metrics { } runtime: \"\" instance_group { passive: false }"
                      "optimization { priority: PRIORITY_DEFAULT cuda { graphs: false } execution_accelerators { }"
                      "  input_pinned_memory { enable: false } }"),
              IsEmpty());
}

TEST(UnactedFieldsTest, WhatIsActedOnIsNot) {
  EXPECT_THAT(
      NotesOf("max_batch_size: 8 dynamic_batching { } optimization { graph { level: 1 } eager_batching: true }"
              "instance_group { count: 2 } metric_tags { key: \"a\" value: \"b\" } tags { key: \"c\" value: \"d\" }"
              "inferd { batching: AUTO } response_cache { enable: true }"),
      IsEmpty());
}

TEST(UnactedFieldsTest, InstancesOnGpusActOnMore) {
  const std::string text =
      "optimization { cuda { graphs: true } execution_accelerators { gpu_execution_accelerator { name: \"tensorrt\" }"
      " cpu_execution_accelerator { name: \"openvino\" } } }";
  EXPECT_THAT(NotesOf(text, "onnxruntime", kGpus), ElementsAre(HasSubstr("no execution provider 'openvino'")));
  EXPECT_THAT(NotesOf(text + "instance_group { kind: KIND_CPU }", "onnxruntime", kGpus), SizeIs(3));
  EXPECT_THAT(NotesOf(text, "tensorflow", kGpus), SizeIs(3));
}

TEST(UnactedFieldsTest, PinnedMemoryIsForInstancesOnGpusOfAnyEngine) {
  const std::string text =
      "optimization { input_pinned_memory { enable: true } output_pinned_memory { enable: true } }";
  EXPECT_THAT(NotesOf(text, "fake", kGpus), IsEmpty());
  EXPECT_THAT(NotesOf(text + "instance_group { kind: KIND_CPU }", "fake", kGpus), SizeIs(2));
}

// A foreign engine receives the whole configuration, accelerators included.
TEST(UnactedFieldsTest, AnEngineFromElsewhereMayActOnWhatItIsGiven) {
  const std::string text =
      "optimization { cuda { graphs: true } priority: PRIORITY_MAX execution_accelerators {"
      "gpu_execution_accelerator { name: \"tensorrt\" } } }";
  EXPECT_THAT(NotesOf(text, "tensorflow"), SizeIs(3));
  EXPECT_THAT(NotesOf(text, "elsewhere"), ElementsAre(HasSubstr("optimization.priority: not acted on")));
}

TEST(UnactedFieldsTest, ManyAreCounted) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "instance_group { passive: true }\n";
  const auto notes = NotesOf(text);
  ASSERT_THAT(notes, SizeIs(11));
  EXPECT_THAT(notes[9], EndsWith("instance_group[9].passive: not acted on: every instance executes requests"));
  EXPECT_EQ(notes[10], "and 2 more fields are not acted on");
}

TEST(UnactedFieldsTest, OfALoadCallTheFieldIsNamed) {
  const auto config = ModelConfigFromJson(R"({"cc_model_filenames": {"7.5": "m75.onnx"}})");
  ASSERT_TRUE(config.has_value());
  EXPECT_THAT(DescribeUnactedFields(*config->document, "fake"),
              ElementsAre("cc_model_filenames: not acted on: the server has no GPUs"));
}

// A completed configuration has no GPUs any more, but the lines describe the written one.
TEST(UnactedFieldsTest, CompletionKeepsThem) {
  const auto parsed = ParseModelConfig("instance_group { gpus: 0 }", "c");
  ASSERT_TRUE(parsed.has_value());
  const auto resolved = ResolveModel(*parsed, "m", {{"model.onnx"}}, {});
  ASSERT_TRUE(resolved.has_value()) << resolved.error().ToString();
  const auto expected = ElementsAre("c:1:18: instance_group[0].gpus: not acted on: the group is on the CPU");
  EXPECT_THAT(resolved->unacted_fields, expected);
  const TensorInfo x{.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1}};
  const TensorInfo y{.name = "y", .datatype = tensor::DataType::kFp32, .shape = {-1}};
  const auto completed = CompleteModel(*resolved, {x}, {y}, {}, DecideBatching(*resolved, {x}, {&y, 1}, {}));
  ASSERT_TRUE(completed.has_value()) << completed.error().ToString();
  EXPECT_THAT(completed->unacted_fields, expected);
}

}  // namespace unacted_fields_test
}  // namespace inferd::config
