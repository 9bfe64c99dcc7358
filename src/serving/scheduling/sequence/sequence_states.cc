#include "serving/scheduling/sequence/sequence_states.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/system/regular_file.h"
#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"
#include "serving/scheduling/requests/tensor_numbering.h"

namespace inferd::scheduling {

namespace {

constexpr size_t kInitialBytesMax = size_t{1} << 30;
// Smaller states are not charged, as with outputs.
constexpr size_t kChargedBytesMin = 4096;

base::Result<base::Buffer> Zeros(const config::SequenceState& state) {
  INFERD_ASSIGN_OR_RETURN(const size_t elements, tensor::ElementCount(state.initial_dims));
  const bool texts = state.datatype == tensor::DataType::kBytes;
  const size_t each = texts ? tensor::kLengthSize : tensor::ElementSize(state.datatype);
  if (each == 0 || elements > kInitialBytesMax / each) {
    return std::unexpected(base::InvalidArgument("more than " + std::to_string(kInitialBytesMax) + " bytes"));
  }
  base::Buffer buffer = base::Buffer::Allocate(elements * each);
  if (buffer.size() > 0) std::memset(buffer.data(), 0, buffer.size());
  return buffer;
}

base::Result<base::Buffer> FromFile(const config::SequenceState& state, const std::filesystem::path& folder) {
  INFERD_ASSIGN_OR_RETURN(const std::string bytes,
                          base::ReadRegularFile(folder / state.initial_file, kInitialBytesMax));
  base::Buffer buffer = base::Buffer::CopyOf(bytes);
  if (state.datatype == tensor::DataType::kBytes) {
    INFERD_RETURN_IF_ERROR(tensor::CheckRaw(state.datatype, state.initial_dims, base::BufferSlice(buffer).bytes())
                               .WithContext(state.initial_file));
    return buffer;
  }
  INFERD_ASSIGN_OR_RETURN(const size_t expected, tensor::ByteSize(state.datatype, state.initial_dims));
  if (bytes.size() != expected) {
    return std::unexpected(base::InvalidArgument("initial_state setting expects " + std::to_string(expected) +
                                                 " bytes, but the data provided from " + state.initial_file +
                                                 (bytes.size() < expected ? " only has " : " has ") +
                                                 std::to_string(bytes.size()) + " bytes"));
  }
  return buffer;
}

base::Result<core::InferTensor> InitialOf(const config::SequenceState& state, bool batches,
                                          const std::filesystem::path& model_dir) {
  auto data = state.initial_file.empty() ? Zeros(state) : FromFile(state, model_dir / "initial_state");
  if (!data.has_value()) {
    return std::unexpected(base::Status(data.error()).WithContext("the initial state of '" + state.input + "'"));
  }
  core::InferTensor tensor{.name = state.input,
                           .datatype = state.datatype,
                           .shape = state.initial_dims,
                           .data = base::BufferSlice(*std::move(data)),
                           .parameters = {}};
  if (batches) tensor.shape.Prepend(1);
  return tensor;
}

base::Result<int> InModel(int index, const char* kind, const std::string& name) {
  if (index >= 0) return index;
  return std::unexpected(base::InvalidArgument("the model has no " + std::string(kind) + " '" + name + "'"));
}

// Repeats a row for a warm-up, which may have several rows with the same state.
core::InferTensor Repeated(const core::InferTensor& row, int64_t rows) {
  core::InferTensor tensor = row;
  const size_t bytes = row.data.size();
  base::Buffer buffer = base::Buffer::Allocate(bytes * static_cast<size_t>(rows));
  for (size_t i = 0; bytes > 0 && i < static_cast<size_t>(rows); ++i) {
    std::memcpy(buffer.data() + i * bytes, row.data.data(), bytes);
  }
  tensor.shape[0] = rows;
  tensor.data = base::BufferSlice(std::move(buffer));
  return tensor;
}

// Finds an output, which is at `place`, or before it if the model left out others. Null if it is missing.
const core::InferTensor* Find(const std::vector<core::InferTensor>& outputs, const std::string& name, size_t place) {
  if (place < outputs.size() && outputs[place].name == name) return &outputs[place];
  const auto found = std::ranges::find(outputs, name, &core::InferTensor::name);
  return found == outputs.end() ? nullptr : &*found;
}

// Returns true if the tensor uses less than half of the memory that it would keep alive.
bool Wastes(const base::BufferSlice& data) { return data.size() < data.owner().size() / 2; }

}  // namespace

base::Result<SequenceStates> SequenceStates::Make(core::SchedulerParts& version, base::ByteBudget* outputs) {
  SequenceStates made;
  if (version.config->sequence_batching->states.empty()) return made;
  made.model_ = version.config->name;
  made.outputs_ = outputs;
  made.copies_ = version.model->input_memory() != nullptr;
  auto signature = std::make_shared<core::ModelSignature>(*version.signature);
  version.engine_inputs = Numbering(version.engine_inputs, signature->inputs.size());
  version.engine_outputs = Numbering(version.engine_outputs, signature->outputs.size());
  const bool batches = signature->max_batch_size > 0;
  const core::ModelSignature& engine = version.model->signature();
  for (const config::SequenceState& state : version.config->sequence_batching->states) {
    tensor::Shape shape = state.dims;
    if (batches) shape.Prepend(-1);
    INFERD_ASSIGN_OR_RETURN(const int input, InModel(engine.FindInput(state.input), "input", state.input));
    INFERD_ASSIGN_OR_RETURN(const int output, InModel(engine.FindOutput(state.output), "output", state.output));
    INFERD_ASSIGN_OR_RETURN(core::InferTensor initial, InitialOf(state, batches, version.model_dir));
    const int input_index = static_cast<int>(signature->inputs.size());
    signature->inputs.push_back({.name = state.input, .datatype = state.datatype, .shape = shape});
    version.engine_inputs.push_back(input);
    int output_index = signature->FindOutput(state.output);
    if (output_index < 0) {
      output_index = static_cast<int>(signature->outputs.size());
      signature->outputs.push_back({.name = state.output, .datatype = state.datatype, .shape = shape});
      version.engine_outputs.push_back(output);
    }
    // The state is an input of the next request: the output must be present, and have this datatype.
    core::TensorSpec& kept = signature->outputs[static_cast<size_t>(output_index)];
    kept.may_be_missing = kept.unchecked = false;
    if (batches) shape[0] = 1;
    made.states_.push_back({.initial = std::move(initial),
                            .shape = std::move(shape),
                            .output = state.output,
                            .input_index = input_index,
                            .output_index = output_index});
  }
  version.signature = std::move(signature);
  return made;
}

SequenceStates::Places SequenceStates::Give(core::QueuedRequest& queued, const KeptState& kept) const {
  Places places;
  auto& outputs = queued.layout.outputs;
  places.answered = outputs.size();
  places.copied = std::ranges::any_of(queued.request->outputs,
                                      [](const core::RequestedOutput& output) { return bool{output.memory}; });
  for (size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    const core::InferTensor& given = kept.empty() ? state.initial : kept[i];
    queued.request->inputs.push_back(queued.layout.rows > 1 ? Repeated(given, queued.layout.rows) : given);
    queued.layout.inputs.push_back(state.input_index);
    const auto place = std::ranges::find(outputs, state.output_index) - outputs.begin();
    places.states.push_back(static_cast<size_t>(place));
    if (places.states.back() == outputs.size()) outputs.push_back(state.output_index);
  }
  places.added = outputs.size() - places.answered;
  return places;
}

base::Status SequenceStates::Take(core::InferResponse& response, const Places& places, KeptState& taken) const {
  taken.clear();
  for (size_t i = 0; i < states_.size(); ++i) {
    const core::InferTensor* const output = Find(response.outputs, states_[i].output, places.states[i]);
    if (output == nullptr) return base::Internal("a response without the model's states");
    INFERD_ASSIGN_OR_RETURN(core::InferTensor state, Keep(states_[i], *output, places.copied));
    taken.push_back(std::move(state));
  }
  response.outputs.resize(response.outputs.size() - std::min(places.added, response.outputs.size()));
  return base::OkStatus();
}

base::Result<core::InferTensor> SequenceStates::Keep(const State& state, const core::InferTensor& output,
                                                     bool copied) const {
  if (!tensor::Matches(state.shape, output.shape)) {
    return std::unexpected(base::Internal("model '" + model_ + "' gave the state '" + state.output + "' with shape " +
                                          output.shape.ToString() + ", expected " + state.shape.ToString()));
  }
  core::InferTensor kept = state.initial;
  kept.shape = output.shape;
  kept.data = output.data;
  if (!copied && !copies_ && !Wastes(output.data)) return kept;
  const size_t bytes = output.data.size();
  const bool charged = outputs_ != nullptr && bytes >= kChargedBytesMin;
  try {
    if (!charged || outputs_->TryCharge(bytes)) {
      base::Buffer copy = base::Buffer::Allocate(bytes);
      if (charged) copy.OnFree([budget = outputs_, bytes] { budget->Release(bytes); });
      if (bytes > 0) std::memcpy(copy.data(), output.data.data(), bytes);
      kept.data = base::BufferSlice(std::move(copy));
      return kept;
    }
  } catch (const std::bad_alloc&) {
    if (charged) outputs_->Release(bytes);
  }
  return std::unexpected(base::ResourceExhausted("there is no memory for the state '" + state.output + "' of model '" +
                                                 model_ + "', of " + std::to_string(bytes) + " bytes"));
}

}  // namespace inferd::scheduling
