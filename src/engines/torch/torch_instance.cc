#include "engines/torch/torch_instance.h"

#include <ATen/Parallel.h>
#include <ATen/core/Dict.h>
#include <c10/core/CPUAllocator.h>
#include <omp.h>

#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "engines/kit/cancelled.h"
#include "engines/torch/function/element_type.h"
#include "engines/torch/function/error_text.h"
#include "engines/torch/tensor_values.h"

namespace inferd::torchscript {

namespace {

// Sets the calling thread's number, since it executes models with different ones. The library itself sets it once per
// thread, in its first call, for all models alike.
void UseThreads(int threads) {
  thread_local int used = 0;
  if (used == threads) return;
  at::get_num_threads();
  omp_set_num_threads(threads);
  used = threads;
}

void ReleaseTensor(void* tensor) { delete static_cast<at::Tensor*>(tensor); }

// The allocator's error looks like one of the model's.
base::Status ToStatus(const std::exception& exception) {
  const std::string text = ErrorText(exception.what());
  if (text.find("DefaultCPUAllocator") != std::string::npos) return base::ResourceExhausted(text);
  return base::InvalidArgument("the model cannot run on these inputs: " + text);
}

bool SharesInput(const inferd_batch& batch, const void* data) {
  for (size_t i = 0; i < batch.input_count; ++i) {
    const inferd_memory& memory = batch.inputs[i]->pieces[0];
    const auto* begin = static_cast<const std::byte*>(memory.data);
    const auto* at = static_cast<const std::byte*>(data);
    if (std::greater_equal<>()(at, begin) && std::less<>()(at, begin + memory.size)) return true;
  }
  return false;
}

// Returns true if the library owns the tensor's memory and no other tensor shares it.
bool IsItsOwn(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.storage();
  return storage.use_count() == 1 && storage.data_ptr().get_deleter() == c10::GetCPUAllocator()->raw_deleter();
}

}  // namespace

TorchInstance::TorchInstance(const TorchModel* model, std::shared_ptr<const ModelFunction> function)
    : model_(model), function_(std::move(function)) {
  const size_t outputs = model->tensors().outputs().size();
  shapes_.resize(outputs);
  copied_.reserve(outputs);
  answer_.Reserve(outputs);
}

base::Result<std::unique_ptr<TorchInstance>> TorchInstance::Create(const TorchModel* model) {
  try {
    return std::unique_ptr<TorchInstance>(new TorchInstance(model, model->FunctionForInstance()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return std::unexpected(base::ResourceExhausted("the model cannot be copied: " + ErrorText(exception.what())));
  }
}

base::Status TorchInstance::Execute(const inferd_batch& batch) {
  const inferd_host& host = model_->host();
  if (kit::AllCancelled(host, batch)) return base::Cancelled("the answer is not waited for any more");
  INFERD_ASSIGN_OR_RETURN(const c10::IValue answer, Compute(batch));
  host.mark_infer_done(&batch);
  const base::Status filled = FillOutputs(batch, answer);
  if (filled.ok()) {
    answer_.Send(host, batch);
  } else {
    for (size_t i = 0; i < answer_.size(); ++i) {
      if (answer_[i].release != nullptr) answer_[i].release(answer_[i].release_arg);
    }
  }
  answer_.Clear();
  copied_.clear();
  return filled;
}

base::Result<c10::IValue> TorchInstance::Compute(const inferd_batch& batch) {
  UseThreads(model_->compute_threads());
  try {
    INFERD_ASSIGN_OR_RETURN(std::vector<c10::IValue> arguments, Arguments(batch));
    c10::IValue answer = function_->Call(std::move(arguments));
    return function_->schema().flattens ? Flattened(std::move(answer)) : std::move(answer);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return std::unexpected(ToStatus(exception));
  }
}

base::Result<std::vector<c10::IValue>> TorchInstance::Arguments(const inferd_batch& batch) const {
  const MethodSchema& schema = function_->schema();
  std::vector<c10::IValue> values;
  values.reserve(schema.arguments.size() + 1);
  for (size_t i = 0; i < schema.arguments.size(); ++i) values.push_back(function_->default_of(i));
  c10::Dict<std::string, at::Tensor> dict;
  for (size_t i = 0; i < batch.input_count; ++i) {
    const inferd_input& input = *batch.inputs[i];
    const InputTensor& tensor = model_->tensors().inputs()[input.index];
    auto value = ToValue(input, tensor.kind, function_->may_write(tensor.argument));
    if (!value.has_value()) return std::unexpected(value.error().WithContext("input '" + tensor.name + "'"));
    if (schema.takes_dict) {
      dict.insert(tensor.name, value->toTensor());
    } else {
      values[tensor.argument] = *std::move(value);
    }
  }
  if (schema.takes_dict) values[0] = std::move(dict);
  return values;
}

base::Status TorchInstance::FillOutputs(const inferd_batch& batch, const c10::IValue& answer) {
  try {
    for (size_t i = 0; i < batch.output_count; ++i) {
      INFERD_RETURN_IF_ERROR(FillOutput(batch, batch.outputs[i], answer, &answer_.Add())
                                 .WithContext("output '" + model_->tensors().outputs()[batch.outputs[i]].name + "'"));
    }
  } catch (const std::bad_alloc&) {
    return base::ResourceExhausted("the server has no memory for the answer");
  } catch (const std::exception& exception) {
    return base::Internal(ErrorText(exception.what()));
  }
  return base::OkStatus();
}

base::Status TorchInstance::FillOutput(const inferd_batch& batch, uint32_t index, const c10::IValue& answer,
                                       inferd_output* output) {
  const OutputTensor& expected = model_->tensors().outputs()[index];
  output->index = index;
  INFERD_ASSIGN_OR_RETURN(const c10::IValue part, FindPart(answer, expected.place));
  if (IsStrings(part) && expected.datatype == INFERD_TYPE_BYTES) return FillStrings(batch, expected, part, output);
  INFERD_ASSIGN_OR_RETURN(at::Tensor tensor, ToDense(part));
  if (ToDatatype(tensor.scalar_type()) != expected.datatype) {
    return base::InvalidArgument(std::string("the model gives elements of type ") +
                                 c10::toString(tensor.scalar_type()) +
                                 ", and its configuration says another: correct data_type in config.pbtxt");
  }
  FillTensor(batch, std::move(tensor), output);
  return base::OkStatus();
}

void TorchInstance::FillTensor(const inferd_batch& batch, at::Tensor tensor, inferd_output* output) {
  std::vector<int64_t>& shape = shapes_[output->index];
  shape.assign(tensor.sizes().begin(), tensor.sizes().end());
  output->datatype = ToDatatype(tensor.scalar_type());
  output->shape = shape.data();
  output->rank = shape.size();
  output->memory = {tensor.const_data_ptr(), tensor.nbytes(), INFERD_MEMORY_CPU, 0};
  // An output may be an unchanged input, whose memory ends with the batch, or a part of the model's state, which the
  // next execution overwrites.
  if (SharesInput(batch, output->memory.data) || (function_->keeps_answers() && !IsItsOwn(tensor))) {
    copied_.push_back(std::move(tensor));
    return;
  }
  output->release = ReleaseTensor;
  output->release_arg = new at::Tensor(std::move(tensor));
}

base::Status TorchInstance::FillStrings(const inferd_batch& batch, const OutputTensor& tensor, const c10::IValue& part,
                                        inferd_output* output) {
  const std::vector<std::string> strings = ToStrings(part);
  size_t bytes = 0;
  for (const std::string& text : strings) {
    if (text.size() > std::numeric_limits<uint32_t>::max()) return base::OutOfRange("a string is longer than 4 GiB");
    bytes += sizeof(uint32_t) + text.size();
  }
  auto* memory = static_cast<std::byte*>(model_->host().allocate_output(&batch, output->index, bytes));
  if (memory == nullptr) return base::ResourceExhausted("the server has no memory for it");
  output->memory = {memory, bytes, INFERD_MEMORY_CPU, 0};
  for (const std::string& text : strings) {
    const auto size = static_cast<uint32_t>(text.size());
    std::memcpy(memory, &size, sizeof(size));
    std::memcpy(memory + sizeof(size), text.data(), size);
    memory += sizeof(size) + size;
  }
  // If configured so, each row has one string of a list.
  std::vector<int64_t>& shape = shapes_[output->index];
  shape.assign(part.isString() && tensor.rank == 0 ? 0 : std::max<size_t>(tensor.rank, 1), 1);
  if (!shape.empty()) shape[0] = static_cast<int64_t>(strings.size());
  output->datatype = INFERD_TYPE_BYTES;
  output->bytes_form = INFERD_BYTES_PACKED;
  output->shape = shape.data();
  output->rank = shape.size();
  return base::OkStatus();
}

}  // namespace inferd::torchscript
