#include "engines/onnxruntime/onnx_instance.h"

#include <unistd.h>

#include <charconv>
#include <cstring>
#include <new>
#include <span>
#include <string>

#include "engines/onnxruntime/library/error_text.h"
#include "engines/onnxruntime/library/string_tensor.h"

namespace inferd::onnxruntime {

namespace {

bool Mentions(const base::Status& status, std::string_view words) {
  return status.message().find(words) != std::string::npos;
}

// True for "Failed to allocate memory for requested buffer of size N" with more than the machine has: a retry is
// useless.
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

// True for errors of NVIDIA's libraries, in the provider's words: "CUDA failure 700: an illegal memory access".
bool IsFailureOfGpu(const base::Status& status) {
  return Mentions(status, "CUDA failure") || Mentions(status, "CUDNN failure") || Mentions(status, "CUBLAS failure") ||
         Mentions(status, "TensorRT EP");
}

// Converts a failed run to a client's error. On the CPU an operator fails because of its inputs: indices out of range,
// or shapes that do not fit each other.
base::Status ExplainFailure(const base::Status& status) {
  if (Mentions(status, "terminate flag")) return base::Cancelled("the run was ended, since nobody waits for it");
  const std::string reason = WithoutSourcePlaces(status.message());
  if (AsksForTheImpossible(reason)) {
    return base::InvalidArgument("the model needs more memory on these inputs than there is: " + reason);
  }
  if (IsFailureOfGpu(status)) {
    const std::string why = "the GPU cannot run the model: " + reason;
    return Mentions(status, "out of memory") ? base::ResourceExhausted(why) : base::Internal(why);
  }
  if (Mentions(status, "Failed to allocate") || Mentions(status, "bad_alloc") || Mentions(status, "bad allocation")) {
    return base::ResourceExhausted("there is no memory to run the model: " + reason);
  }
  return base::InvalidArgument("the model cannot run on these inputs: " + reason);
}

// Returns the batch's input that the graph lists as the output. Null if the output is computed, or is of strings, which
// are copied in any case. `inputs` is by index; null if not given.
const inferd_input* FindPassed(const OnnxTensor& output, std::span<const inferd_input* const> inputs) {
  return output.same_input < 0 || output.element_size == 0 ? nullptr : inputs[static_cast<size_t>(output.same_input)];
}

bool IsShapeMismatch(const base::Status& status) {
  return Mentions(status, "OrtValue provided for output") || Mentions(status, "shape verification failed");
}

}  // namespace

OnnxInstance::OnnxInstance(OnnxModel* model, OrtSession* session, RunOptionsOwner options)
    : model_(model), session_(session), plain_run_(model, std::move(options)) {
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

base::Result<std::unique_ptr<OnnxInstance>> OnnxInstance::Create(OnnxModel* model, int32_t gpu) {
  INFERD_ASSIGN_OR_RETURN(RunOptionsOwner options, model->MakeRunOptions());
  INFERD_ASSIGN_OR_RETURN(OrtSession * session, model->sessions().Take(gpu));
  std::unique_ptr<OnnxInstance> instance(new OnnxInstance(model, session, std::move(options)));
  if (gpu == kOnCpu) return instance;
  INFERD_ASSIGN_OR_RETURN(instance->gpu_,
                          InstanceMemory::Create(gpu, instance->inputs_.size(), instance->fetches_.size()));
  if (!model->sessions().graphs()) return instance;
  instance->graphs_ = std::make_unique<GraphRuns>(model);
  instance->thread_ = std::make_unique<base::ThreadPool>("cuda_graphs", 1);
  return instance;
}

OnnxInstance::~OnnxInstance() {
  thread_.reset();
  model_->sessions().Return(session_);
}

base::Result<kit::Progress> OnnxInstance::Execute(const inferd_batch& batch) {
  if (thread_ != nullptr) {
    thread_->Post([this, &batch] { ExecuteOnThread(batch); });
    return kit::Progress::kPending;
  }
  INFERD_RETURN_IF_ERROR(ExecuteHere(batch));
  return kit::Progress::kFinished;
}

void OnnxInstance::ExecuteOnThread(const inferd_batch& batch) {
  const inferd_host& host = model_->environment().host();
  base::Status status;
  try {
    status = ExecuteHere(batch);
  } catch (const std::bad_alloc&) {
    status = base::ResourceExhausted("the server has no memory for it");
  }
  if (!status.ok()) kit::BatchAnswer::Fail(host, batch, status);
  host.finish(&batch);
}

base::Status OnnxInstance::ExecuteHere(const inferd_batch& batch) {
  base::Status status = BindInputs(batch);
  if (status.ok()) status = Run(batch);
  if (status.ok()) status = Answer(batch);
  Clear();
  return status;
}

base::Status OnnxInstance::AllocateInput(uint32_t input, size_t size, inferd_input_memory* memory) {
  if (gpu_ == nullptr) return base::FailedPrecondition("the instance is on the CPU");
  INFERD_ASSIGN_OR_RETURN(memory->memory, gpu_->HoldInput(input, size));
  memory->release = nullptr;
  memory->release_arg = nullptr;
  return base::OkStatus();
}

base::Status OnnxInstance::BindInputs(const inferd_batch& batch) {
  for (size_t i = 0; i < batch.input_count; ++i) {
    const inferd_input& input = *batch.inputs[i];
    INFERD_ASSIGN_OR_RETURN(ValueOwner value, MakeInput(input));
    inputs_[input.index] = &input;
    input_names_.push_back(model_->tensors().inputs()[input.index].name.c_str());
    input_values_.push_back(value.release());
  }
  return AwaitCopies();
}

base::Status OnnxInstance::AwaitCopies() { return gpu_ == nullptr ? base::OkStatus() : gpu_->AwaitCopies(); }

base::Result<ValueOwner> OnnxInstance::MakeInput(const inferd_input& input) const {
  const OnnxTensor& tensor = model_->tensors().inputs()[input.index];
  const inferd_memory& memory = input.pieces[0];  // one_piece: there is exactly one
  if (tensor.element_size == 0) {
    const std::span elements(static_cast<const inferd_text*>(memory.data), memory.size / sizeof(inferd_text));
    return MakeStringTensor(elements, input.shape, input.rank);
  }
  if (graphs_ == nullptr) return MakeValue(tensor, memory, input.shape, input.rank);
  INFERD_ASSIGN_OR_RETURN(const inferd_memory fixed, FixInput(input));
  return MakeValue(tensor, fixed, input.shape, input.rank);
}

// A graph reads its inputs at the addresses at which they were recorded.
base::Result<inferd_memory> OnnxInstance::FixInput(const inferd_input& input) const {
  const inferd_memory& memory = input.pieces[0];
  INFERD_ASSIGN_OR_RETURN(const inferd_memory fixed, gpu_->HoldInput(input.index, memory.size));
  if (memory.data != fixed.data) INFERD_RETURN_IF_ERROR(gpu_->StartCopy(memory, fixed));
  return fixed;
}

base::Result<ValueOwner> OnnxInstance::MakeValue(const OnnxTensor& tensor, const inferd_memory& memory,
                                                 const int64_t* shape, size_t rank) const {
  const OrtMemoryInfo* const info =
      memory.kind == INFERD_MEMORY_GPU && gpu_ != nullptr ? gpu_->info() : model_->environment().cpu_memory();
  OrtValue* value = nullptr;
  // The library does not write to inputs.
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateTensorWithDataAsOrtValue(
      info, const_cast<void*>(memory.data), memory.size, shape, rank, tensor.element_type, &value)));
  return ValueOwner(value);
}

// Returns the memory for an output of known size; without data if there is no memory.
base::Result<inferd_memory> OnnxInstance::PlaceOutput(const inferd_batch& batch, uint32_t index, size_t bytes) {
  const inferd_host& host = model_->environment().host();
  if (graphs_ != nullptr) return gpu_->HoldOutput(index, bytes);
  if (gpu_ == nullptr) return inferd_memory{host.allocate_output(&batch, index, bytes), bytes, INFERD_MEMORY_CPU, 0};
  const inferd_memory wish = {nullptr, bytes, INFERD_MEMORY_GPU, gpu_->gpu()};
  inferd_memory memory = {};
  if (host.allocate_output_in(&batch, index, &wish, &memory) == 0) return inferd_memory{};
  memory.size = bytes;
  return memory;
}

base::Status OnnxInstance::BindOutputs(const inferd_batch& batch, bool bind) {
  for (fetch_count_ = 0; fetch_count_ < batch.output_count;) {
    const uint32_t index = batch.outputs[fetch_count_];
    const OnnxTensor& tensor = model_->tensors().outputs()[index];
    Fetch& fetch = fetches_[fetch_count_];
    fetch.index = index;
    fetch.bound = {};
    ValueOwner value;
    fetch.passed = FindPassed(tensor, inputs_);
    if (bind && fetch.passed == nullptr && model_->output_shapes().Predict(index, inputs_, &fetch.shape)) {
      size_t bytes = tensor.element_size;
      bool overflow = false;
      for (const int64_t dim : fetch.shape) overflow |= __builtin_mul_overflow(bytes, static_cast<size_t>(dim), &bytes);
      if (!overflow) {
        INFERD_ASSIGN_OR_RETURN(fetch.bound, PlaceOutput(batch, index, bytes));
      }
      if (fetch.bound.data == nullptr) {
        return base::ResourceExhausted("there is no memory for output '" + tensor.name + "'");
      }
      INFERD_ASSIGN_OR_RETURN(value, MakeValue(tensor, fetch.bound, fetch.shape.data(), fetch.shape.size()));
    }
    fetch.to_be_copied = graphs_ != nullptr && fetch.bound.data != nullptr;
    output_names_.push_back(tensor.name.c_str());
    output_values_.push_back(value.release());
    ++fetch_count_;
  }
  return base::OkStatus();
}

base::Status OnnxInstance::Run(const inferd_batch& batch) {
  const bool bind = model_->binds_outputs();
  INFERD_RETURN_IF_ERROR(BindOutputs(batch, bind));
  base::Status status = RunOnce(batch);
  if (bind && !status.ok() && IsShapeMismatch(status)) {
    // The file's output shapes are wrong. Other servers run such models, so from now on the library chooses the
    // outputs' memory.
    model_->StopBindingOutputs();
    for (OrtValue* value : output_values_) Ort().ReleaseValue(value);
    output_names_.clear();
    output_values_.clear();
    INFERD_RETURN_IF_ERROR(BindOutputs(batch, false));
    status = RunOnce(batch);
  }
  return status.ok() ? status : ExplainFailure(status);
}

// All memory that a graph uses must keep its address.
bool OnnxInstance::CanBeGraph(const inferd_batch& batch) const {
  for (size_t i = 0; i < batch.input_count; ++i) {
    if (model_->tensors().inputs()[batch.inputs[i]->index].element_size == 0) return false;
  }
  for (size_t i = 0; i < fetch_count_; ++i) {
    if (!fetches_[i].to_be_copied) return false;
  }
  return true;
}

OnnxRun& OnnxInstance::ChooseRun(const inferd_batch& batch) {
  if (graphs_ != nullptr) {
    if (gpu_->TakeMoved()) graphs_->Forget();
    OnnxRun* const run = CanBeGraph(batch) ? graphs_->Find(batch) : nullptr;
    return run == nullptr ? plain_run_ : *run;
  }
  if (!model_->TakeShrinkDue()) return plain_run_;
  if (shrinking_run_ == nullptr) {
    auto options = model_->MakeRunOptions(true);
    if (!options.has_value()) return plain_run_;
    shrinking_run_ = std::make_unique<OnnxRun>(model_, *std::move(options));
  }
  return *shrinking_run_;
}

base::Status OnnxInstance::RunOnce(const inferd_batch& batch) {
  OnnxRun& run = ChooseRun(batch);
  run.watched.Begin(&batch);
  model_->watch().Wake();
  // The response has the same text; a log line for each would let clients fill the log.
  const QuietErrors answered;
  OrtStatus* status =
      Ort().Run(session_, run.options.get(), input_names_.data(), input_values_.data(), input_values_.size(),
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
  INFERD_RETURN_IF_ERROR(AwaitCopies());
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
}

base::Status OnnxInstance::FillOutput(const inferd_batch& batch, size_t i, inferd_output* output) {
  Fetch& fetch = fetches_[i];
  const OnnxTensor& tensor = model_->tensors().outputs()[fetch.index];
  output->index = fetch.index;
  output->datatype = tensor.datatype;
  if (fetch.passed != nullptr) return PassInput(batch, fetch, output);
  const OrtValue* value = output_values_[i];
  size_t count = 1;
  if (fetch.bound.data == nullptr) {
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
  output->memory = fetch.bound;
  if (fetch.to_be_copied) return CopyOutput(batch, fetch, output);
  if (fetch.bound.data != nullptr) return base::OkStatus();
  if (tensor.element_size == 0) {
    output->memory.size = count;
    return FillStrings(batch, i, output);
  }
  return TakeValue(batch, i, count * tensor.element_size, output);
}

// The library does not write such an output, and its value is in the request's memory.
base::Status OnnxInstance::PassInput(const inferd_batch& batch, Fetch& fetch, inferd_output* output) {
  const inferd_memory& memory = fetch.passed->pieces[0];
  output->shape = fetch.passed->shape;
  output->rank = fetch.passed->rank;
  if (gpu_ == nullptr) return CopyValue(batch, memory.data, memory.size, output);
  fetch.bound = memory;
  return CopyOutput(batch, fetch, output);
}

// Copies from the instance's own memory to the response's.
base::Status OnnxInstance::CopyOutput(const inferd_batch& batch, const Fetch& fetch, inferd_output* output) {
  const inferd_memory wish = {nullptr, fetch.bound.size, INFERD_MEMORY_GPU, gpu_->gpu()};
  if (model_->environment().host().allocate_output_in(&batch, fetch.index, &wish, &output->memory) == 0) {
    return base::ResourceExhausted("there is no memory for output '" + model_->tensors().outputs()[fetch.index].name +
                                   "'");
  }
  output->memory.size = fetch.bound.size;
  return gpu_->StartCopy(fetch.bound, output->memory);
}

base::Status OnnxInstance::TakeValue(const inferd_batch& batch, size_t i, size_t bytes, inferd_output* output) {
  void* data = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetTensorMutableData(output_values_[i], &data)));
  if (gpu_ != nullptr) {
    model_->Keep(bytes);
  } else if (!model_->TryKeep(bytes)) {
    return CopyValue(batch, data, bytes, output);
  }
  return KeepValue(i, data, bytes, output);
}

// Copies to memory of the response, which returns to the system when the client has read it.
base::Status OnnxInstance::CopyValue(const inferd_batch& batch, const void* data, size_t bytes, inferd_output* output) {
  void* const memory = model_->environment().host().allocate_output(&batch, output->index, bytes);
  if (memory == nullptr) {
    return base::ResourceExhausted("there is no memory for output '" + model_->tensors().outputs()[output->index].name +
                                   "'");
  }
  if (bytes > 0) std::memcpy(memory, data, bytes);
  output->memory = {memory, bytes, INFERD_MEMORY_CPU, 0};
  return base::OkStatus();
}

// Lets the response hold the session's memory until it is sent.
base::Status OnnxInstance::KeepValue(size_t i, void* data, size_t bytes, inferd_output* output) {
  OrtValue* value = output_values_[i];
  Fetch& fetch = fetches_[i];
  fetch.kept = std::make_unique<KeptValue>(model_, value, bytes);
  output->memory = {data, bytes, INFERD_MEMORY_CPU, 0};
  if (gpu_ != nullptr) {
    const OrtMemoryInfo* where = nullptr;
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetTensorMemoryInfo(value, &where)));
    OrtMemoryInfoDeviceType type = OrtMemoryInfoDeviceType_CPU;
    Ort().MemoryInfoGetDeviceType(where, &type);
    if (type == OrtMemoryInfoDeviceType_GPU) {
      output->memory.kind = INFERD_MEMORY_GPU;
      output->memory.device = gpu_->gpu();
    }
  }
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
  static_cast<void>(AwaitCopies());  // after an error, some may be in flight
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
