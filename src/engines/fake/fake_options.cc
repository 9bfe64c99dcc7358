#include "engines/fake/fake_options.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <string_view>

namespace inferd::fake {

namespace {

std::string_view View(inferd_text text) { return {text.data, text.size}; }

using Setter = std::function<base::Status(std::string_view value, FakeOptions* options)>;

base::Status Expected(std::string_view value, std::string_view what) {
  return base::InvalidArgument("'" + std::string(value) + "' is not " + std::string(what));
}

Setter Number(int64_t FakeOptions::* field, int64_t max) {
  return [field, max](std::string_view value, FakeOptions* options) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 0 || number > max) {
      return Expected(value, "a number from 0 to " + std::to_string(max));
    }
    options->*field = number;
    return base::OkStatus();
  };
}

template <typename Field>
Setter Text(Field FakeOptions::* field) {
  return [field](std::string_view value, FakeOptions* options) {
    options->*field = std::string(value);
    return base::OkStatus();
  };
}

Setter Names(std::vector<std::string> FakeOptions::* field) {
  return [field](std::string_view value, FakeOptions* options) {
    for (size_t begin = 0; begin < value.size();) {
      const size_t end = std::min(value.find(',', begin), value.size());
      if (end > begin) (options->*field).emplace_back(value.substr(begin, end - begin));
      begin = end + 1;
    }
    return base::OkStatus();
  };
}

template <typename Field>
Setter OneOf(Field FakeOptions::* field, std::map<std::string_view, Field> choices) {
  return [field, choices = std::move(choices)](std::string_view value, FakeOptions* options) {
    const auto found = choices.find(value);
    if (found != choices.end()) {
      options->*field = found->second;
      return base::OkStatus();
    }
    std::string names;
    for (const auto& [name, unused] : choices) names += (names.empty() ? "" : ", ") + std::string(name);
    return Expected(value, "one of " + names);
  };
}

constexpr int64_t kDelayMaxMs = 3'600'000;
constexpr int64_t kDelayMaxNs = 60'000'000'000;

const std::map<std::string_view, Setter>& Setters() {
  static const std::map<std::string_view, Setter> setters = {
      {"behavior", OneOf(&FakeOptions::behavior, {{"identity", Behavior::kIdentity},
                                                  {"add_sub", Behavior::kAddSub},
                                                  {"repeat", Behavior::kRepeat},
                                                  {"square", Behavior::kSquare},
                                                  {"sequence", Behavior::kSequence},
                                                  {"dyna_sequence", Behavior::kDynaSequence},
                                                  {"implicit_state", Behavior::kImplicitState},
                                                  {"iterative_sequence", Behavior::kIterativeSequence}})},
      {"state_grows", OneOf(&FakeOptions::state_grows, {{"true", true}, {"false", false}})},
      {"execute_delay_ms", Number(&FakeOptions::execute_delay_ms, kDelayMaxMs)},
      {"instance_wise_delay_multiplier", Number(&FakeOptions::instance_wise_delay_multiplier, 1000)},
      {"creation_delay_sec", Number(&FakeOptions::creation_delay_sec, kDelayMaxMs / 1000)},
      {"hold_load_file", Text(&FakeOptions::hold_load_file)},
      {"fail_load", Text(&FakeOptions::fail_load)},
      {"fail_execute", Text(&FakeOptions::fail_execute)},
      {"fail_execute_nth", Number(&FakeOptions::fail_execute_nth, INT64_MAX)},
      {"fail_execute_every", Number(&FakeOptions::fail_execute_every, INT64_MAX)},
      {"fail_execute_value", Number(&FakeOptions::fail_execute_value, INT64_MAX)},
      {"fail_execute_requests", Number(&FakeOptions::fail_execute_requests, INT64_MAX)},
      {"floods", OneOf(&FakeOptions::floods, {{"true", true}, {"false", false}})},
      {"CUSTOM_INFER_DELAY_NS", Number(&FakeOptions::square_infer_delay_ns, kDelayMaxNs)},
      {"CUSTOM_OUTPUT_DELAY_NS", Number(&FakeOptions::square_output_delay_ns, kDelayMaxNs)},
      {"CUSTOM_CANCEL_DELAY_NS", Number(&FakeOptions::square_cancel_delay_ns, kDelayMaxNs)},
      {"CUSTOM_FAIL_COUNT", Number(&FakeOptions::square_fail_count, INT32_MAX)},
      {"CUSTOM_EMPTY_COUNT", Number(&FakeOptions::square_empty_count, INT32_MAX)},
      {"record_batches_file", Text(&FakeOptions::record_batches_file)},
      {"operator.writes", OneOf(&FakeOptions::writes, {{"true", true}, {"false", false}})},
      {"significant_parameters", Names(&FakeOptions::significant_parameters)},
      {"response_parameters", Names(&FakeOptions::response_parameters)},
      {"respond", OneOf(&FakeOptions::respond,
                        {{"all", Respond::kAll}, {"each", Respond::kEach}, {"reverse", Respond::kReverse}})},
      {"trace_activity", Text(&FakeOptions::trace_activity)},
      {"hold_file", Text(&FakeOptions::hold_file)},
      {"ready_file", Text(&FakeOptions::ready_file)},
      {"hold_dir", Text(&FakeOptions::hold_dir)},
      {"complete_on_thread", OneOf(&FakeOptions::complete_on_thread, {{"true", true}, {"false", false}})},
      {"unfinished_executions_max", Number(&FakeOptions::unfinished_executions_max, INFERD_UNFINISHED_EXECUTIONS_MAX)},
      {"output_memory", OneOf(&FakeOptions::output_memory, {{"host", OutputMemory::kHost},
                                                            {"engine", OutputMemory::kEngine},
                                                            {"transient", OutputMemory::kTransient},
                                                            {"device", OutputMemory::kDevice},
                                                            {"host_device", OutputMemory::kHostDevice}})},
      {"input_memory", OneOf(&FakeOptions::input_memory, {{"host", InputMemory::kHost},
                                                          {"device", InputMemory::kDevice},
                                                          {"engine_device", InputMemory::kEngineDevice}})},
      {"sequences", OneOf(&FakeOptions::sequences, {{"true", 1}, {"false", 0}})},
      {"misbehavior", OneOf(&FakeOptions::misbehavior, {{"none", Misbehavior::kNone},
                                                        {"no_response", Misbehavior::kNoResponse},
                                                        {"double_response", Misbehavior::kDoubleResponse},
                                                        {"missing_output", Misbehavior::kMissingOutput},
                                                        {"wrong_size", Misbehavior::kWrongSize},
                                                        {"wrong_shape", Misbehavior::kWrongShape},
                                                        {"throw", Misbehavior::kThrow},
                                                        {"deaf", Misbehavior::kDeaf}})},
      {"bytes_form", OneOf(&FakeOptions::bytes_form,
                           {{"packed", int32_t{INFERD_BYTES_PACKED}}, {"elements", int32_t{INFERD_BYTES_ELEMENTS}}})},
      {"one_piece", OneOf(&FakeOptions::one_piece, {{"true", 1}, {"false", 0}})},
      {"alignment",
       OneOf(&FakeOptions::alignment, {{"1", size_t{1}}, {"8", size_t{8}}, {"64", size_t{64}}, {"256", size_t{256}}})},
  };
  return setters;
}

}  // namespace

base::Result<FakeOptions> ParseOptions(const inferd_load& load, std::vector<std::string>* unknown) {
  FakeOptions options;
  options.streams_if_declared = View(load.backend) == "repeat" || View(load.backend) == "square";
  if (View(load.backend) == "repeat") options.behavior = Behavior::kRepeat;
  if (View(load.backend) == "square") options.behavior = Behavior::kSquare;
  if (View(load.backend) == "sequence") options.behavior = Behavior::kSequence;
  if (View(load.backend) == "dyna_sequence") options.behavior = Behavior::kDynaSequence;
  if (View(load.backend) == "implicit_state") options.behavior = Behavior::kImplicitState;
  if (View(load.backend) == "iterative_sequence") options.behavior = Behavior::kIterativeSequence;
  for (size_t i = 0; i < load.parameter_count; ++i) {
    const std::string key(View(load.parameters[i].key));
    const auto setter = Setters().find(key);
    if (setter == Setters().end()) {
      unknown->push_back(key);
      continue;
    }
    const base::Status status = setter->second(View(load.parameters[i].value), &options);
    if (!status.ok()) return std::unexpected(status.WithContext("parameter '" + key + "' of engine 'fake'"));
  }
  if (!options.record_batches_file.empty() && !options.writes) {
    return std::unexpected(base::PermissionDenied(
        "parameter 'record_batches_file' of engine 'fake': the server is not told that this engine may write: "
        "--engine-parameter fake:operator.writes=true"));
  }
  // Relative paths start at the model's folder.
  const std::filesystem::path model_dir(View(load.model_dir));
  for (auto* path : {&options.hold_load_file, &options.hold_file, &options.hold_dir, &options.record_batches_file}) {
    if (!path->empty()) *path = model_dir / *path;
  }
  return options;
}

}  // namespace inferd::fake
