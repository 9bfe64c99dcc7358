#include "serving/scheduling/batch/execution_context.h"

#include <string>

#include "serving/core/model/tensor_reshape.h"
#include "serving/scheduling/policy/batch_policy.h"
#include "serving/scheduling/requests/tensor_numbering.h"

namespace inferd::scheduling {

namespace {

base::Status CheckReshapes(const core::ModelSignature& signature) {
  for (const auto* specs : {&signature.inputs, &signature.outputs}) {
    for (const core::TensorSpec& spec : *specs) {
      if (!spec.reshape) continue;
      INFERD_RETURN_IF_ERROR(core::CheckReshape(spec, signature.max_batch_size > 0));
    }
  }
  return base::OkStatus();
}

}  // namespace

base::Result<ExecutionContext> MakeExecutionContext(const core::SchedulerParts& parts, const base::Clock& clock,
                                                    VersionMetrics& metrics) {
  const core::ModelSignature& signature = *parts.signature;
  INFERD_RETURN_IF_ERROR(CheckReshapes(signature));
  INFERD_ASSIGN_OR_RETURN(BatchPlan plan, MakeBatchPlan(*parts.config, signature, parts.model->signature()));
  INFERD_ASSIGN_OR_RETURN(std::vector<ControlTensor> controls,
                          MakeControlTensors(*parts.config, signature, parts.model->signature()));
  ExecutionContext context{
      .clock = clock,
      .signature = signature,
      .statistics = *parts.statistics,
      .metrics = metrics,
      .input_alignments = {},
      .engine_inputs = Numbering(parts.engine_inputs, signature.inputs.size()),
      .engine_outputs = Numbering(parts.engine_outputs, signature.outputs.size()),
      .plan = std::move(plan),
      .controls = std::move(controls),
      .allowed_rows = {},
      .batching_session = nullptr,
      .retries_members = parts.config->side_effect_free && !parts.signature->sequences,
      .reschedules = parts.config->sequence_batching.has_value() && parts.config->sequence_batching->iterative};
  if (MakeBatchRules(*parts.config, signature).batching) context.batching_session = metrics.batching_session();
  if (signature.max_batch_size > 0) context.allowed_rows = parts.config->allowed_batch_sizes;
  for (const int input : context.engine_inputs) {
    const size_t alignment = parts.model->input_alignment(input);
    // The engine's side provides a larger alignment than buffers have, by a copy that would make ours useless.
    context.input_alignments.push_back(alignment > base::kBufferAlignment ? 1 : alignment);
    context.one_piece_inputs.push_back(parts.model->wants_one_piece(input));
  }
  return context;
}

}  // namespace inferd::scheduling
