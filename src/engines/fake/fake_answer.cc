#include "engines/fake/fake_answer.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "engines/fake/fake_device.h"

namespace inferd::fake {

namespace {

// The request's parameters that the model's responses repeat; for a whole batch, those of the first request.
class RepeatedParameters final {
 public:
  RepeatedParameters(const inferd_host* host, const inferd_model* model, const inferd_batch* batch, size_t request) {
    const auto& wanted = model->options.response_parameters;
    values_.reserve(wanted.size() + kSequenceParameters);  // so that pointers to them stay valid
    if (model->options.sequences != 0) AddSequence(host, batch, request == INFERD_ALL_REQUESTS ? 0 : request);
    for (const std::string& name : wanted) {
      const inferd_text text = {name.data(), name.size()};
      inferd_parameter value = {};
      value.struct_size = sizeof(value);
      const size_t asked = request == INFERD_ALL_REQUESTS ? 0 : request;
      if (host->find_parameter(batch, asked, text, &value) != 0) Add(text, value);
    }
  }
  RepeatedParameters(const RepeatedParameters&) = delete;
  RepeatedParameters& operator=(const RepeatedParameters&) = delete;

  void PutInto(inferd_response& response) const {
    response.parameter_names = names_.data();
    response.parameters = list_.data();
    response.parameter_count = list_.size();
  }

 private:
  static constexpr size_t kSequenceParameters = 3;

  void Add(inferd_text name, const inferd_parameter& value) {
    names_.push_back(name);
    values_.push_back(value);
    list_.push_back(&values_.back());
  }

  void AddSequence(const inferd_host* host, const inferd_batch* batch, size_t request) {
    inferd_sequence sequence = {};
    sequence.struct_size = sizeof(sequence);
    if (host->sequence(batch, request, &sequence) == 0) return;
    inferd_parameter value = {};
    value.struct_size = sizeof(value);
    value.kind = sequence.text.size > 0 ? INFERD_PARAMETER_TEXT : INFERD_PARAMETER_UINT64;
    value.text_value = sequence.text;
    value.uint64_value = sequence.number;
    Add(Text("sequence"), value);
    value.kind = INFERD_PARAMETER_BOOL;
    value.bool_value = sequence.start;
    Add(Text("start"), value);
    value.bool_value = sequence.end;
    Add(Text("end"), value);
  }

  static inferd_text Text(std::string_view text) { return {text.data(), text.size()}; }

  std::vector<inferd_text> names_;
  std::vector<inferd_parameter> values_;
  std::vector<const inferd_parameter*> list_;
};

// Returns the device of the inputs, or 0 if they are on none.
int32_t DeviceOf(const inferd_batch* batch) {
  for (size_t i = 0; i < batch->input_count; ++i) {
    const inferd_input& input = *batch->inputs[i];
    if (input.piece_count > 0 && input.pieces[0].kind == INFERD_MEMORY_GPU) return input.pieces[0].device;
  }
  return 0;
}

}  // namespace

Answer::~Answer() {
  for (void* memory : transient_) std::free(memory);
}

bool Answer::Wants(uint32_t index) const {
  return std::binary_search(batch_->outputs, batch_->outputs + batch_->output_count, index);
}

inferd_output& Answer::New(uint32_t index, std::vector<int64_t> shape) {
  outputs_.push_back(std::make_unique<Output>());
  Output& output = *outputs_.back();
  output.shape = std::move(shape);
  output.abi.struct_size = sizeof(output.abi);
  output.abi.index = index;
  output.abi.datatype = model_->output(index).datatype;
  output.abi.shape = output.shape.data();
  output.abi.rank = output.shape.size();
  return output.abi;
}

void* Answer::Add(uint32_t index, std::vector<int64_t> shape, size_t size) {
  void* memory = nullptr;
  inferd_output& output = New(index, std::move(shape));
  switch (model_->options.output_memory) {
    case OutputMemory::kHost: memory = host_->allocate_output(batch_, index, size); break;
    case OutputMemory::kEngine:
      memory = std::malloc(std::max<size_t>(size, 1));
      output.release = std::free;
      output.release_arg = memory;
      break;
    case OutputMemory::kTransient:
      memory = std::malloc(std::max<size_t>(size, 1));
      transient_.push_back(memory);
      break;
    case OutputMemory::kDevice: {
      const int32_t device = DeviceOf(batch_);
      memory = DeviceTable()->allocate(INFERD_MEMORY_GPU, device, size);
      output.release = ReleaseFromDevice;
      output.release_arg = memory;
      output.memory = {memory, size, INFERD_MEMORY_GPU, device};
      return memory == nullptr ? nullptr : Reach(output.memory);
    }
    case OutputMemory::kHostDevice: {
      const inferd_memory wish = {nullptr, size, INFERD_MEMORY_GPU, DeviceOf(batch_)};
      return host_->allocate_output_in(batch_, index, &wish, &output.memory) == 0 ? nullptr : Reach(output.memory);
    }
  }
  output.memory = {memory, size, INFERD_MEMORY_CPU, 0};
  return memory;
}

void Answer::AddElements(uint32_t index, std::vector<int64_t> shape, const std::vector<inferd_text>& elements) {
  inferd_output& output = New(index, std::move(shape));
  output.bytes_form = INFERD_BYTES_ELEMENTS;
  output.memory = {elements.data(), elements.size() * sizeof(inferd_text), INFERD_MEMORY_CPU, 0};
}

void Answer::Send(size_t request, bool final, bool reschedule) {
  std::vector<const inferd_output*> list;
  for (const auto& output : outputs_) list.push_back(&output->abi);
  switch (model_->options.misbehavior) {
    case Misbehavior::kMissingOutput:
      if (!list.empty()) {
        if (list.back()->release != nullptr) list.back()->release(list.back()->release_arg);
        list.pop_back();
      }
      break;
    case Misbehavior::kWrongSize:
      for (const auto& output : outputs_) output->abi.memory.size /= 2;
      break;
    case Misbehavior::kWrongShape:
      for (const auto& output : outputs_) output->abi.rank = 0;
      break;
    default: break;
  }
  const RepeatedParameters parameters(host_, model_, batch_, request);
  inferd_response response = {};
  response.struct_size = sizeof(response);
  parameters.PutInto(response);
  response.outputs = list.data();
  response.output_count = list.size();
  response.final = final ? 1 : 0;
  response.reschedule = reschedule ? 1 : 0;
  host_->respond(batch_, request, &response);
  if (model_->options.misbehavior == Misbehavior::kDoubleResponse) {
    Fail(host_, batch_, request, INFERD_INTERNAL, "a second answer");
  }
}

void Answer::Fail(const inferd_host* host, const inferd_batch* batch, size_t request, int32_t code,
                  std::string_view message, bool final) {
  inferd_response response = {};
  response.struct_size = sizeof(response);
  response.code = code;
  response.message = {message.data(), message.size()};
  response.final = final ? 1 : 0;
  host->respond(batch, request, &response);
}

}  // namespace inferd::fake
