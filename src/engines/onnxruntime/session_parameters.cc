#include "engines/onnxruntime/session_parameters.h"

#include <algorithm>
#include <string>

#include "engines/kit/parameters.h"

namespace inferd::onnxruntime {

namespace {

using kit::ReadFlag;
using kit::ReadNumber;
using Key = std::string_view;
using Value = std::string_view;

constexpr int kThreadsMax = 1024;

constexpr Key kOperators = "operator.";  // only the server's command line may use this prefix

// True for entries that make the library write or read a file of any name. A model must not set them: a client may have
// sent its configuration.
bool NamesFile(Key key) {
  constexpr Key kEnds[] = {"file", "filepath", "file_path", "file_name", "folder_path", "enable_profiling"};
  return std::ranges::any_of(kEnds, [&](Key end) { return key.ends_with(end); });
}

base::Status KeepEntry(Key key, Value value, SessionSettings* settings) {
  const bool of_operator = key.starts_with(kOperators);
  if (of_operator) key.remove_prefix(kOperators.size());
  if (NamesFile(key) && !of_operator) {
    return base::PermissionDenied("parameter '" + std::string(key) + "' names a file, which is the operator's to do: " +
                                  "--engine-parameter onnxruntime:operator." + std::string(key) + "=VALUE");
  }
  settings->session_entries[std::string(key)] = value;
  return base::OkStatus();
}

// Options of the CUDA provider that Triton accepts as plain parameters.
base::Status KeepForCuda(Key key, Value value, SessionSettings* settings) {
  return ApplyAcceleratorParameter("cuda", key, value, &settings->gpu);
}

base::Status KeepFromOperator(Key key, Value value, SessionSettings* settings) {
  key.remove_prefix(kOperators.size());
  const size_t dot = key.find('.');
  return ApplyOperatorParameter(key.substr(0, dot), key.substr(dot + 1), value, &settings->gpu);
}

struct Row {
  std::string_view name;
  base::Status (*apply)(Key key, Value value, SessionSettings* settings);
};

constexpr Row kRows[] = {
    {"intra_op_thread_count",
     [](Key key, Value value, SessionSettings* settings) {
       return ReadNumber(key, value, 0, kThreadsMax, &settings->intra_op_threads);
     }},
    {"inter_op_thread_count",
     [](Key key, Value value, SessionSettings* settings) {
       return ReadNumber(key, value, 0, kThreadsMax, &settings->inter_op_threads);
     }},
    {"execution_mode", [](Key key, Value value,
                          SessionSettings* settings) { return ReadFlag(key, value, &settings->parallel_execution); }},
    {"enable_mem_arena",
     [](Key key, Value value, SessionSettings* settings) { return ReadFlag(key, value, &settings->memory_arena); }},
    {"enable_mem_pattern",
     [](Key key, Value value, SessionSettings* settings) { return ReadFlag(key, value, &settings->memory_pattern); }},
    {"memory.enable_memory_arena_shrinkage",
     [](Key, Value value, SessionSettings* settings) {
       settings->arena_shrinkage = value;
       return base::OkStatus();
     }},
    {"session.*", KeepEntry},
    {"optimization.*", KeepEntry},
    {"ep.*", KeepEntry},
    {"operator.session.*", KeepEntry},
    {"operator.ep.*", KeepEntry},
    {"operator.cuda.*", KeepFromOperator},
    {"operator.tensorrt.*", KeepFromOperator},
    {"cudnn_conv_algo_search", KeepForCuda},
    {"gpu_mem_limit", KeepForCuda},
    {"arena_extend_strategy", KeepForCuda},
    {"do_copy_in_default_stream", KeepForCuda},
    {"cudnn_conv_use_max_workspace", KeepForCuda},
};

bool Names(std::string_view name, std::string_view key) {
  return name.ends_with('*') ? key.starts_with(name.substr(0, name.size() - 1)) : key == name;
}

}  // namespace

std::vector<std::string_view> SessionParameterNames() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.name);
  return names;
}

base::Status ApplyParameter(Key key, Value value, SessionSettings* settings) {
  for (const Row& row : kRows) {
    if (Names(row.name, key)) return row.apply(key, value, settings);
  }
  return base::OkStatus();
}

}  // namespace inferd::onnxruntime
