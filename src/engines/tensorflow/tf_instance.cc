#include "engines/tensorflow/tf_instance.h"

#include <cstring>
#include <functional>
#include <span>
#include <string>

#include "engines/kit/cancelled.h"
#include "engines/tensorflow/element_type.h"
#include "engines/tensorflow/string_tensor.h"

namespace inferd::tensorflow {

namespace {

void KeepMemory(void*, size_t, void*) {}  // the request owns it

void ReleaseTensor(void* tensor) { Tf().DeleteTensor(static_cast<TF_Tensor*>(tensor)); }

base::Status NoMemory(const std::string& tensor) {
  return base::ResourceExhausted("there is no memory for tensor '" + tensor + "'");
}

base::Status WrongRank(const GraphTensor& input, size_t rank) {
  return base::InvalidArgument("input '" + input.name + "' has " + std::to_string(rank) +
                               " dimensions; the model's operators take it with " + std::to_string(*input.rank) +
                               " only, as its signature says");
}

// Returns how often a default is repeated in a batch, so that each request has it as if it ran alone: a default of one
// row applies to every row.
size_t CountRepeats(const inferd_batch& batch, int64_t default_rows) {
  int64_t rows = 0;
  for (size_t i = 0; i < batch.request_count; ++i) {
    if (default_rows <= 0 || batch.rows[i] % default_rows != 0) return 1;
    rows += batch.rows[i];
  }
  return static_cast<size_t>(std::max<int64_t>(rows / std::max<int64_t>(default_rows, 1), 1));
}

// A default belongs to the model: a copy is fed.
base::Result<TensorOwner> MakeDefaultInput(const TF_Tensor& value, const inferd_batch& batch, const std::string& name) {
  std::vector<int64_t> shape(static_cast<size_t>(Tf().NumDims(&value)));
  for (size_t d = 0; d < shape.size(); ++d) shape[d] = Tf().Dim(&value, static_cast<int>(d));
  const size_t repeats = shape.empty() ? 1 : CountRepeats(batch, shape[0]);
  if (!shape.empty()) shape[0] *= static_cast<int64_t>(repeats);
  const size_t bytes = Tf().TensorByteSize(&value);
  const void* const data = Tf().TensorData(&value);
  if (Tf().TensorType(&value) == TF_STRING) {
    const std::span strings(static_cast<const TF_TString*>(data), bytes / sizeof(TF_TString));
    std::vector<inferd_text> elements;
    elements.reserve(strings.size() * repeats);
    for (size_t i = 0; i < repeats; ++i) {
      for (const TF_TString& text : strings) {
        elements.push_back({TF_TString_GetDataPointer(&text), TF_TString_GetSize(&text)});
      }
    }
    return MakeStringTensor(elements, shape.data(), shape.size());
  }
  TensorOwner copy(
      Tf().AllocateTensor(Tf().TensorType(&value), shape.data(), static_cast<int>(shape.size()), bytes * repeats));
  if (copy == nullptr) return std::unexpected(NoMemory(name));
  auto* const to = static_cast<std::byte*>(Tf().TensorData(copy.get()));
  for (size_t i = 0; i < repeats && bytes > 0; ++i) std::memcpy(to + i * bytes, data, bytes);
  return copy;
}

}  // namespace

TfInstance::TfInstance(TfModel* model, size_t signature) : model_(model), function_(model->function(signature)) {
  feeds_.reserve(function_.inputs.size());
  feed_values_.reserve(function_.inputs.size());
  const size_t outputs = function_.outputs.size();
  fetches_.reserve(outputs);
  fetch_values_.reserve(outputs);
  fetched_.resize(outputs);
  answer_.Reserve(outputs);
}

base::Status TfInstance::Execute(const inferd_batch& batch) {
  if (kit::AllCancelled(model_->host(), batch)) return base::Cancelled("nobody waits for the answer any more");
  base::Status status = BindInputs(batch);
  if (status.ok()) {
    BindOutputs(batch);
    status = Run();
  }
  if (status.ok()) status = Answer(batch);
  Clear();
  return status;
}

base::Status TfInstance::BindInputs(const inferd_batch& batch) {
  for (size_t i = 0; i < batch.input_count; ++i) {
    const inferd_input& input = *batch.inputs[i];
    INFERD_ASSIGN_OR_RETURN(TensorOwner value, MakeInput(input));
    feeds_.push_back(function_.inputs[input.index].output);
    feed_values_.push_back(value.release());
  }
  return batch.input_count == function_.inputs.size() ? base::OkStatus() : BindDefaults(batch);
}

// The requests of a batch leave out the same inputs.
base::Status TfInstance::BindDefaults(const inferd_batch& batch) {
  for (uint32_t i = 0; i < function_.inputs.size(); ++i) {
    const GraphTensor& input = function_.inputs[i];
    const auto is_given = [i](const inferd_input* given) { return given->index == i; };
    if (input.default_value == nullptr || std::any_of(batch.inputs, batch.inputs + batch.input_count, is_given))
      continue;
    INFERD_ASSIGN_OR_RETURN(TensorOwner value, MakeDefaultInput(*input.default_value, batch, input.name));
    feeds_.push_back(input.output);
    feed_values_.push_back(value.release());
  }
  return base::OkStatus();
}

base::Result<TensorOwner> TfInstance::MakeInput(const inferd_input& input) const {
  const GraphTensor& tensor = function_.inputs[input.index];
  const inferd_memory& memory = input.pieces[0];  // one_piece: there is exactly one
  const auto rank = static_cast<int>(input.rank);
  if (tensor.rank.has_value() && input.rank != *tensor.rank) return std::unexpected(WrongRank(tensor, input.rank));
  if (tensor.type == TF_STRING) {
    const std::span elements(static_cast<const inferd_text*>(memory.data), memory.size / sizeof(inferd_text));
    return MakeStringTensor(elements, input.shape, input.rank);
  }
  TensorOwner value;
  if (memory.size == 0 || model_->keeps_inputs()) {
    value.reset(Tf().AllocateTensor(tensor.type, input.shape, rank, memory.size));
    if (value != nullptr && memory.size > 0) std::memcpy(Tf().TensorData(value.get()), memory.data, memory.size);
  } else {
    // The library does not write to memory that it does not own.
    value.reset(Tf().NewTensor(tensor.type, input.shape, rank, const_cast<void*>(memory.data), memory.size, KeepMemory,
                               nullptr));
  }
  if (value == nullptr) return std::unexpected(NoMemory(tensor.name));
  return value;
}

void TfInstance::BindOutputs(const inferd_batch& batch) {
  for (size_t i = 0; i < batch.output_count; ++i) {
    fetched_[i].index = batch.outputs[i];
    fetches_.push_back(function_.outputs[batch.outputs[i]].output);
    fetch_values_.push_back(nullptr);
  }
}

base::Status TfInstance::Run() {
  Tf().SessionRun(model_->session(), nullptr, feeds_.data(), feed_values_.data(), static_cast<int>(feeds_.size()),
                  fetches_.data(), fetch_values_.data(), static_cast<int>(fetches_.size()), function_.targets.data(),
                  static_cast<int>(function_.targets.size()), nullptr, status_.get());
  return status_.Take();
}

base::Status TfInstance::Answer(const inferd_batch& batch) {
  const inferd_host& host = model_->host();
  host.mark_infer_done(&batch);
  for (size_t i = 0; i < fetches_.size(); ++i) {
    INFERD_RETURN_IF_ERROR(FillOutput(batch, i, &answer_.Add()));
  }
  for (size_t i = 0; i < fetches_.size(); ++i) {
    if (answer_[i].release != nullptr) fetch_values_[i] = nullptr;
  }
  answer_.Send(host, batch);
  return base::OkStatus();
}

base::Status TfInstance::FillOutput(const inferd_batch& batch, size_t i, inferd_output* output) {
  Fetch& fetch = fetched_[i];
  TF_Tensor* tensor = fetch_values_[i];
  const TF_DataType type = Tf().TensorType(tensor);
  const GraphTensor& expected = function_.outputs[fetch.index];
  if (type != expected.type) {
    return base::Internal("output '" + expected.name + "' came as " + ElementTypeName(type) + ", not as " +
                          ElementTypeName(expected.type));
  }
  output->index = fetch.index;
  output->datatype = ToDatatype(type);
  fetch.shape.resize(static_cast<size_t>(Tf().NumDims(tensor)));
  size_t count = 1;
  for (size_t d = 0; d < fetch.shape.size(); ++d) {
    fetch.shape[d] = Tf().Dim(tensor, static_cast<int>(d));
    count *= static_cast<size_t>(fetch.shape[d]);
  }
  output->shape = fetch.shape.data();
  output->rank = fetch.shape.size();
  if (type == TF_STRING) return FillStrings(batch, count, tensor, output);
  output->memory = {Tf().TensorData(tensor), Tf().TensorByteSize(tensor), INFERD_MEMORY_CPU, 0};
  // An output may be an unchanged input, whose memory ends with the batch, so the host makes a copy.
  if (SharesInput(batch, output->memory.data)) return base::OkStatus();
  output->release = ReleaseTensor;
  output->release_arg = tensor;
  return base::OkStatus();
}

base::Status TfInstance::FillStrings(const inferd_batch& batch, size_t count, const TF_Tensor* tensor,
                                     inferd_output* output) {
  const std::span elements(static_cast<const TF_TString*>(Tf().TensorData(tensor)), count);
  INFERD_ASSIGN_OR_RETURN(const size_t bytes, PackedSize(elements));
  void* memory = model_->host().allocate_output(&batch, output->index, bytes);
  if (memory == nullptr) return NoMemory(function_.outputs[output->index].name);
  output->bytes_form = INFERD_BYTES_PACKED;
  output->memory = {memory, bytes, INFERD_MEMORY_CPU, 0};
  PackStrings(elements, static_cast<std::byte*>(memory));
  return base::OkStatus();
}

bool TfInstance::SharesInput(const inferd_batch& batch, const void* data) {
  for (size_t i = 0; i < batch.input_count; ++i) {
    const inferd_memory& memory = batch.inputs[i]->pieces[0];
    const auto* begin = static_cast<const std::byte*>(memory.data);
    const auto* at = static_cast<const std::byte*>(data);
    if (std::greater_equal<>()(at, begin) && std::less<>()(at, begin + memory.size)) return true;
  }
  return false;
}

void TfInstance::Clear() {
  for (TF_Tensor* value : feed_values_) Tf().DeleteTensor(value);
  for (TF_Tensor* value : fetch_values_) Tf().DeleteTensor(value);
  feeds_.clear();
  feed_values_.clear();
  fetches_.clear();
  fetch_values_.clear();
  answer_.Clear();
}

}  // namespace inferd::tensorflow
