#include "engines/tensorflow/session_settings.h"

#include <algorithm>
#include <string_view>

#include "data/wire/append.h"
#include "engines/kit/parameters.h"

namespace inferd::tensorflow {

namespace {

constexpr int kThreadsMax = 1024;

// Field numbers of config.proto.
constexpr uint32_t kIntraOpThreads = 2;
constexpr uint32_t kInterOpThreads = 5;
constexpr uint32_t kSoftPlacement = 7;
constexpr uint32_t kPerSessionThreads = 9;
constexpr uint32_t kGraphOptions = 10;
constexpr uint32_t kOptimizerOptions = 3;
constexpr uint32_t kJitLevel = 5;

constexpr int64_t kCallingThread = -1;
constexpr int kJitLevelMin = -1;
constexpr int kJitLevelMax = 2;

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

base::Status Apply(std::string_view key, std::string_view value, SessionSettings* settings) {
  if (key == "TF_NUM_INTRA_THREADS") {
    return kit::ReadNumber(key, value, 0, kThreadsMax, &settings->intra_op_threads);
  }
  if (key == "TF_NUM_INTER_THREADS") {
    return kit::ReadNumber(key, value, 0, kThreadsMax, &settings->inter_op_threads);
  }
  if (key == "TF_GLOBAL_JIT_LEVEL") {
    return kit::ReadNumber(key, value, kJitLevelMin, kJitLevelMax, &settings->jit_level);
  }
  if (key == "TF_SIGNATURE_DEF") settings->signature = value;
  if (key == "TF_GRAPH_TAG") settings->tags = Split(value);
  return base::OkStatus();
}

}  // namespace

base::Result<SessionSettings> SessionSettings::Parse(const inferd_load& load) {
  SessionSettings settings;
  for (size_t i = 0; i < load.parameter_count; ++i) {
    const inferd_pair& pair = load.parameters[i];
    INFERD_RETURN_IF_ERROR(Apply(kit::ToView(pair.key), kit::ToView(pair.value), &settings));
  }
  if (load.graph_optimization_level != 0) {
    settings.jit_level = std::clamp(load.graph_optimization_level, kJitLevelMin, kJitLevelMax);
  }
  return settings;
}

std::string SessionSettings::ConfigProto(int compute_threads) const {
  std::string config;
  wire::AppendNumber(kIntraOpThreads, compute_threads, &config);
  wire::AppendNumber(kInterOpThreads, starts_threads() ? inter_op_threads : kCallingThread, &config);
  if (starts_threads()) wire::AppendNumber(kPerSessionThreads, 1, &config);
  // Models that were trained on a GPU name it in their graph.
  wire::AppendNumber(kSoftPlacement, 1, &config);
  if (jit_level != 0) {
    std::string optimizer;
    wire::AppendNumber(kJitLevel, jit_level, &optimizer);
    std::string graph;
    wire::AppendBytes(kOptimizerOptions, optimizer, &graph);
    wire::AppendBytes(kGraphOptions, graph, &config);
  }
  return config;
}

}  // namespace inferd::tensorflow
