// Fuzzes model configurations as text and as JSON. An accepted configuration must print as text that parses to the same
// configuration, and the checks and the completion must handle it without a failure.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/model/batching_decision.h"
#include "config/model/model_config_completion.h"
#include "config/model/model_config_document.h"
#include "config/model/model_config_parser.h"
#include "fuzz/require.h"

namespace inferd::fuzz {
namespace {

const std::vector<config::TensorInfo> kInputs = {
    {.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1, 4}},
    {.name = "s", .datatype = tensor::DataType::kInt64, .shape = {}, .optional = true},
};
const std::vector<config::TensorInfo> kOutputs = {{.name = "y", .datatype = tensor::DataType::kFp32, .shape = {-1, 2}}};

void CheckPrinted(const config::ModelConfig& config) {
  const std::string text = config.document->ToPbtxt();
  const auto from_text = config::ParseModelConfig(text, "printed");
  Require(from_text.has_value(), "printed text does not parse");
  Require(from_text->document->ToPbtxt() == text, "printed text reads back differently");
  const std::string json = config.document->ToJson();
  const auto from_json = config::ModelConfigFromJson(json);
  Require(from_json.has_value(),
          "printed JSON does not parse: " + (from_json.has_value() ? "" : from_json.error().message()));
  Require(from_json->document->ToJson() == json, "printed JSON reads back differently");
}

void CheckCompletion(const config::ModelConfig& config) {
  (void)config::FindProblems(*config.document, "m");
  const std::string folder = config.name.empty() ? "m" : config.name;
  auto resolved = config::ResolveModel(config, folder, {{"model.onnx"}}, {});
  if (!resolved.has_value()) return;
  config::BatchingDecision batching = config::DecideBatching(*resolved, kInputs, kOutputs, {});
  Require(!batching.reason.empty(), "a decision without a reason");
  const auto completed = config::CompleteModel(*std::move(resolved), kInputs, kOutputs, {}, std::move(batching));
  if (!completed.has_value()) return;
  Require(completed->max_batch_size >= 0 && !completed->outputs.empty() && !completed->instance_groups.empty(),
          "a completed configuration is not complete");
  CheckPrinted(*completed);
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  const std::vector<char> copy(data, data + size);
  const std::string_view text(copy.data(), copy.size());
  for (const auto& config : {config::ParseModelConfig(text, "config.pbtxt"), config::ModelConfigFromJson(text)}) {
    if (!config.has_value()) {
      fuzz::Require(!config.error().message().empty(), "an error without a message");
      continue;
    }
    fuzz::CheckPrinted(*config);
    fuzz::CheckCompletion(*config);
  }
  return 0;
}
