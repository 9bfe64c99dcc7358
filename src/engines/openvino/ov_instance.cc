#include "engines/openvino/ov_instance.h"

#include <openvino/core/except.hpp>
#include <string>
#include <utility>

#include "engines/kit/cancelled.h"
#include "engines/openvino/error_text.h"

namespace inferd::openvino {

OvInstance::OvInstance(OvModel* model, ov::InferRequest request) : model_(model), request_(std::move(request)) {
  const size_t outputs = model->tensors().outputs().size();
  shapes_.resize(outputs);
  results_.resize(outputs);
  answer_.Reserve(outputs);
}

base::Result<std::unique_ptr<OvInstance>> OvInstance::Create(OvModel* model) {
  INFERD_ASSIGN_OR_RETURN(ov::CompiledModel compiled, model->TakeCompiled());
  try {
    return std::unique_ptr<OvInstance>(new OvInstance(model, compiled.create_infer_request()));
  } catch (const ov::Exception& exception) {
    return std::unexpected(base::ResourceExhausted("OpenVINO makes no request: " + ErrorText(exception.what())));
  }
}

base::Status OvInstance::Execute(const inferd_batch& batch) {
  const inferd_host& host = model_->host();
  if (kit::AllCancelled(host, batch)) return base::Cancelled("the answer is not waited for any more");
  INFERD_RETURN_IF_ERROR(Compute(batch));
  answer_.Clear();
  host.mark_infer_done(&batch);
  for (size_t i = 0; i < batch.output_count; ++i) FillOutput(i, batch.outputs[i], &answer_.Add());
  answer_.Send(host, batch);
  return base::OkStatus();
}

base::Status OvInstance::Compute(const inferd_batch& batch) {
  try {
    for (size_t i = 0; i < batch.input_count; ++i) SetInput(*batch.inputs[i]);
    request_.infer();
    for (size_t i = 0; i < batch.output_count; ++i) results_[i] = request_.get_output_tensor(batch.outputs[i]);
  } catch (const ov::Exception& exception) {
    return base::InvalidArgument("the model cannot run on these inputs: " + ErrorText(exception.what()));
  }
  return base::OkStatus();
}

// Every call sets every input: memory of the previous call's request is gone.
void OvInstance::SetInput(const inferd_input& input) {
  const OvTensor& tensor = model_->tensors().inputs()[input.index];
  const inferd_memory& memory = input.pieces[0];  // one_piece: there is exactly one
  const ov::Shape shape(input.shape, input.shape + input.rank);
  // The library does not write to inputs.
  request_.set_input_tensor(input.index, memory.size == 0
                                             ? ov::Tensor(tensor.type, shape)
                                             : ov::Tensor(tensor.type, shape, const_cast<void*>(memory.data)));
}

// The memory is the OpenVINO request's, and the next call overwrites it: the host makes a copy.
void OvInstance::FillOutput(size_t position, uint32_t index, inferd_output* output) {
  const ov::Tensor& result = results_[position];
  const ov::Shape shape = result.get_shape();
  shapes_[position].assign(shape.begin(), shape.end());
  output->index = index;
  output->datatype = model_->tensors().outputs()[index].datatype;
  output->shape = shapes_[position].data();
  output->rank = shape.size();
  output->memory = {result.get_size() == 0 ? nullptr : std::as_const(result).data(), result.get_byte_size(),
                    INFERD_MEMORY_CPU, 0};
}

}  // namespace inferd::openvino
