#include "repository/version_signature.h"

#include <algorithm>
#include <string_view>

#include "config/small_file.h"
#include "storage/staging.h"

namespace inferd::repository {

namespace {

constexpr size_t kLabelBytesMax = 16 << 20;

tensor::Shape FullShape(tensor::Shape dims, bool batches) {
  if (batches) dims.Prepend(-1);
  return dims;
}

base::Status NotInModel(std::string_view kind, const std::string& name) {
  return base::InvalidArgument("the model has no " + std::string(kind) + " '" + name + "'");
}

}  // namespace

base::Result<std::vector<std::string>> ReadLabels(const std::filesystem::path& file) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, config::ReadSmallFile(file, kLabelBytesMax));
  std::vector<std::string> labels;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    labels.emplace_back(line);
    begin = end + 1;
  }
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  return labels;
}

base::Result<VersionSignature> MakeVersionSignature(const config::ModelConfig& config,
                                                    const core::ModelSignature& engine,
                                                    const std::filesystem::path& model_dir) {
  VersionSignature result;
  auto signature = std::make_shared<core::ModelSignature>();
  signature->max_batch_size = config.max_batch_size;
  signature->accepts_larger_requests = config.accepts_larger_requests;
  const bool batches = config.max_batch_size > 0;
  // What batch_output scatters has no rows that could be joined.
  signature->splits_larger_requests = batches && config.split_large_requests && config.batch_outputs.empty();
  // What the configuration does with dimensions needs them to be there.
  const bool free = config.padding.empty() && config.batch_inputs.empty();
  for (const config::ModelInput& input : config.inputs) {
    const int index = engine.FindInput(input.name);
    if (index < 0) return std::unexpected(NotInModel("input", input.name));
    result.engine_inputs.push_back(index);
    signature->inputs.push_back({.name = input.name,
                                 .datatype = input.datatype,
                                 .shape = FullShape(input.dims, batches),
                                 .optional = input.optional || engine.inputs[index].optional,
                                 .reshape = input.reshape,
                                 .ragged = input.allow_ragged_batch,
                                 .any_shape = free && engine.inputs[index].any_shape});
  }
  for (const config::BatchInput& made : config.batch_inputs) {
    if (engine.FindInput(made.target_name) < 0) return std::unexpected(NotInModel("input", made.target_name));
  }
  for (const config::ModelOutput& output : config.outputs) {
    const int index = engine.FindOutput(output.name);
    if (index < 0) return std::unexpected(NotInModel("output", output.name));
    result.engine_outputs.push_back(index);
    core::TensorSpec spec{.name = output.name,
                          .datatype = output.datatype,
                          .shape = FullShape(output.dims, batches),
                          .reshape = output.reshape,
                          .any_shape = engine.outputs[index].any_shape};
    if (!output.label_filename.empty()) {
      INFERD_RETURN_IF_ERROR(storage::CheckRelativePath(output.label_filename).WithContext("label_filename"));
      INFERD_ASSIGN_OR_RETURN(spec.labels, ReadLabels(model_dir / output.label_filename));
    }
    signature->outputs.push_back(std::move(spec));
  }
  result.signature = std::move(signature);
  return result;
}

}  // namespace inferd::repository
