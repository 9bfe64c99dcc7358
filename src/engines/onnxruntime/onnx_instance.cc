#include "engines/onnxruntime/onnx_instance.h"

#include <unistd.h>

#include <charconv>
#include <span>
#include <string>

#include "engines/onnxruntime/string_tensor.h"

namespace inferd::onnxruntime {

namespace {

bool Mentions(const base::Status& status, std::string_view words) {
  return status.message().find(words) != std::string::npos;
}

// "Failed to allocate memory for requested buffer of size N", with more than the machine has: trying again is in vain.
bool AsksForTheImpossible(std::string_view message) {
  constexpr std::string_view kSize = "requested buffer of size ";
  const size_t at = message.find(kSize);
  if (at == std::string_view::npos) return false;
  uint64_t bytes = 0;
  const std::string_view digits = message.substr(at + kSize.size());
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  if (parsed.ec == std::errc::result_out_of_range) return true;
  const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  return parsed.ec == std::errc() && bytes / static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) > pages;
}

// What a failed run means to the client. On the CPU an operator fails because of what it was given: indices out of
// range, shapes that do not fit each other.
base::Status ExplainFailure(const base::Status& status) {
  if (Mentions(status, "terminate flag")) return base::Cancelled("the run was ended, since nobody waits for it");
  if (AsksForTheImpossible(status.message())) {
    return base::InvalidArgument("the model needs more memory on these inputs than there is: " + status.message());
  }
  if (Mentions(status, "Failed to allocate") || Mentions(status, "bad_alloc") || Mentions(status, "bad allocation")) {
    return base::ResourceExhausted("there is no memory to run the model: " + status.message());
  }
  return base::InvalidArgument("the model cannot run on these inputs: " + status.message());
}

bool IsShapeMismatch(const base::Status& status) {
  return Mentions(status, "OrtValue provided for output") || Mentions(status, "shape verification failed");
}

}  // namespace

OnnxInstance::OnnxInstance(OnnxModel* model, RunOptionsOwner options)
    : model_(model), plain_run_(model, std::move(options)) {
  const size_t inputs = model->tensors().inputs().size();
  const size_t outputs = model->tensors().outputs().size();
  inputs_.resize(inputs);
  input_names_.reserve(inputs);
  input_values_.reserve(inputs);
  output_names_.reserve(outputs);
  output_values_.reserve(outputs);
  fetches_.resize(outputs);
  answer_.Reserve(outputs);
}

base::Result<std::unique_ptr<OnnxInstance>> OnnxInstance::Create(OnnxModel* model) {
  INFERD_ASSIGN_OR_RETURN(RunOptionsOwner options, model->MakeRunOptions());
  return std::unique_ptr<OnnxInstance>(new OnnxInstance(model, std::move(options)));
}

base::Status OnnxInstance::Execute(const inferd_batch& batch) {
  base::Status status = BindInputs(batch);
  if (status.ok()) status = Run(batch);
  if (status.ok()) status = Answer(batch);
  Clear();
  return status;
}

base::Status OnnxInstance::BindInputs(const inferd_batch& batch) {
  for (size_t i = 0; i < batch.input_count; ++i) {
    const inferd_input& input = *batch.inputs[i];
    INFERD_ASSIGN_OR_RETURN(ValueOwner value, MakeInput(input));
    inputs_[input.index] = &input;
    input_names_.push_back(model_->tensors().inputs()[input.index].name.c_str());
    input_values_.push_back(value.release());
  }
  return base::OkStatus();
}

base::Result<ValueOwner> OnnxInstance::MakeInput(const inferd_input& input) const {
  const OnnxTensor& tensor = model_->tensors().inputs()[input.index];
  const inferd_memory& memory = input.pieces[0];  // one_piece: there is exactly one
  if (tensor.element_size == 0) {
    const std::span elements(static_cast<const inferd_text*>(memory.data), memory.size / sizeof(inferd_text));
    return MakeStringTensor(elements, input.shape, input.rank);
  }
  OrtValue* value = nullptr;
  // The library does not write to inputs.
  INFERD_RETURN_IF_ERROR(ToStatus(
      Ort().CreateTensorWithDataAsOrtValue(model_->environment().cpu_memory(), const_cast<void*>(memory.data),
                                           memory.size, input.shape, input.rank, tensor.element_type, &value)));
  return ValueOwner(value);
}

base::Status OnnxInstance::BindOutputs(const inferd_batch& batch, bool bind) {
  const inferd_host& host = model_->environment().host();
  for (fetch_count_ = 0; fetch_count_ < batch.output_count;) {
    const uint32_t index = batch.outputs[fetch_count_];
    const OnnxTensor& tensor = model_->tensors().outputs()[index];
    Fetch& fetch = fetches_[fetch_count_];
    fetch.index = index;
    fetch.bound = nullptr;
    OrtValue* value = nullptr;
    if (bind && model_->output_shapes().Predict(index, inputs_, &fetch.shape)) {
      size_t bytes = tensor.element_size;
      bool overflow = false;
      for (const int64_t dim : fetch.shape) overflow |= __builtin_mul_overflow(bytes, static_cast<size_t>(dim), &bytes);
      fetch.bound = overflow ? nullptr : host.allocate_output(&batch, index, bytes);
      if (fetch.bound == nullptr) {
        return base::ResourceExhausted("there is no memory for output '" + tensor.name + "'");
      }
      INFERD_RETURN_IF_ERROR(ToStatus(
          Ort().CreateTensorWithDataAsOrtValue(model_->environment().cpu_memory(), fetch.bound, bytes,
                                               fetch.shape.data(), fetch.shape.size(), tensor.element_type, &value)));
    }
    output_names_.push_back(tensor.name.c_str());
    output_values_.push_back(value);
    ++fetch_count_;
  }
  return base::OkStatus();
}

base::Status OnnxInstance::Run(const inferd_batch& batch) {
  const bool bind = model_->binds_outputs();
  INFERD_RETURN_IF_ERROR(BindOutputs(batch, bind));
  base::Status status = RunOnce(batch);
  if (bind && !status.ok() && IsShapeMismatch(status)) {
    // The file's output shapes are false. Other servers run such models, so the library says where outputs go from now
    // on.
    model_->StopBindingOutputs();
    for (OrtValue* value : output_values_) Ort().ReleaseValue(value);
    output_names_.clear();
    output_values_.clear();
    INFERD_RETURN_IF_ERROR(BindOutputs(batch, false));
    status = RunOnce(batch);
  }
  return status.ok() ? status : ExplainFailure(status);
}

OnnxInstance::RunKind& OnnxInstance::ChooseRun() {
  if (!model_->TakeShrinkDue()) return plain_run_;
  if (shrinking_run_ == nullptr) {
    auto options = model_->MakeRunOptions(true);
    if (!options.has_value()) return plain_run_;
    shrinking_run_ = std::make_unique<RunKind>(model_, *std::move(options));
  }
  return *shrinking_run_;
}

base::Status OnnxInstance::RunOnce(const inferd_batch& batch) {
  RunKind& run = ChooseRun();
  run.watched.Begin(&batch);
  model_->watch().Wake();
  // The request is answered with the same words; a line for each would let clients fill the log.
  const QuietErrors answered;
  OrtStatus* status =
      Ort().Run(model_->session(), run.options.get(), input_names_.data(), input_values_.data(), input_values_.size(),
                output_names_.data(), output_names_.size(), output_values_.data());
  run.watched.End();
  return ToStatus(status);
}

base::Status OnnxInstance::Answer(const inferd_batch& batch) {
  const inferd_host& host = model_->environment().host();
  host.mark_infer_done(&batch);
  for (size_t i = 0; i < fetch_count_; ++i) {
    INFERD_RETURN_IF_ERROR(FillOutput(batch, i, &answer_.Add()));
  }
  for (size_t i = 0; i < fetch_count_; ++i) {
    if (answer_[i].release == nullptr) continue;
    output_values_[i] = nullptr;
    static_cast<void>(fetches_[i].kept.release());
  }
  answer_.Send(host, batch);
  return base::OkStatus();
}

void OnnxInstance::ReleaseValue(void* arg) {
  const std::unique_ptr<KeptValue> kept(static_cast<KeptValue*>(arg));
  Ort().ReleaseValue(kept->value);
  kept->model->NoteReturned(kept->bytes);
}

base::Status OnnxInstance::FillOutput(const inferd_batch& batch, size_t i, inferd_output* output) {
  Fetch& fetch = fetches_[i];
  const OnnxTensor& tensor = model_->tensors().outputs()[fetch.index];
  output->index = fetch.index;
  output->datatype = tensor.datatype;
  OrtValue* value = output_values_[i];
  size_t count = 1;
  if (fetch.bound == nullptr) {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetTensorTypeAndShape(value, &info)));
    const TensorTypeAndShapeInfoOwner owner(info);
    size_t rank = 0;
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetDimensionsCount(info, &rank)));
    fetch.shape.resize(rank);
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetDimensions(info, fetch.shape.data(), rank)));
  }
  for (const int64_t dim : fetch.shape) count *= static_cast<size_t>(dim);
  output->shape = fetch.shape.data();
  output->rank = fetch.shape.size();
  output->memory = {fetch.bound, count * tensor.element_size, INFERD_MEMORY_CPU, 0};
  if (fetch.bound != nullptr) return base::OkStatus();
  if (tensor.element_size == 0) {
    output->memory.size = count;
    return FillStrings(batch, i, output);
  }
  void* data = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetTensorMutableData(value, &data)));
  output->memory.data = data;
  fetch.kept = std::make_unique<KeptValue>(model_, value, output->memory.size);
  output->release = ReleaseValue;
  output->release_arg = fetch.kept.get();
  return base::OkStatus();
}

base::Status OnnxInstance::FillStrings(const inferd_batch& batch, size_t i, inferd_output* output) {
  const OrtValue* value = output_values_[i];
  const size_t count = output->memory.size;
  INFERD_ASSIGN_OR_RETURN(const size_t bytes, PackedSize(value, count));
  void* memory = model_->environment().host().allocate_output(&batch, output->index, bytes);
  if (memory == nullptr) return base::ResourceExhausted("there is no memory for an output of strings");
  output->bytes_form = INFERD_BYTES_PACKED;
  output->memory = {memory, bytes, INFERD_MEMORY_CPU, 0};
  return PackStrings(value, count, {static_cast<std::byte*>(memory), bytes});
}

void OnnxInstance::Clear() {
  for (OrtValue* value : input_values_) Ort().ReleaseValue(value);
  for (OrtValue* value : output_values_) Ort().ReleaseValue(value);
  std::fill(inputs_.begin(), inputs_.end(), nullptr);
  input_names_.clear();
  input_values_.clear();
  output_names_.clear();
  output_values_.clear();
  answer_.Clear();
}

}  // namespace inferd::onnxruntime
