#include "engines/fake/fake_states.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/fake/fake_answer.h"
#include "engines/fake/fake_model.h"
#include "engines/fake/fake_numbers.h"
#include "engines/fake/fake_part.h"

namespace inferd::fake {

namespace {

std::vector<std::byte> BytesOf(const Part::Input& input) {
  std::vector<std::byte> bytes;
  for (const inferd_memory& piece : input.pieces) {
    const auto* first = static_cast<const std::byte*>(piece.data);
    bytes.insert(bytes.end(), first, first + piece.size);
  }
  return bytes;
}

const Part::Input* Find(const inferd_model* model, const Part& part, std::string_view name) {
  const int index = model->FindInput(name);
  return index < 0 ? nullptr : part.FindInput(static_cast<uint32_t>(index));
}

base::Status AddTensor(Answer& answer, uint32_t index, const std::vector<int64_t>& shape,
                       const std::vector<std::byte>& bytes) {
  if (!answer.Wants(index)) return base::OkStatus();
  void* const memory = answer.Add(index, shape, bytes.size());
  if (memory == nullptr) return base::ResourceExhausted("engine 'fake' has no memory for an output");
  std::memcpy(memory, bytes.data(), bytes.size());
  return base::OkStatus();
}

// Answers a request or a whole batch: all outputs get the new state.
base::Status NextState(const inferd_host* host, const inferd_model* model, const Part& part) {
  const Part::Input* const input = part.FindInput(0);
  const Part::Input* const state = Find(model, part, "INPUT_STATE");
  if (input == nullptr || state == nullptr) return base::InvalidArgument("implicit_state needs its inputs");
  std::vector<std::byte> next = BytesOf(*state);
  const std::vector<std::byte> addend = BytesOf(*input);
  std::vector<int64_t> shape = state->shape;
  if (!model->options.state_grows) {
    AddAs(input->datatype, next, addend);
  } else if (shape.empty() || shape.size() != input->shape.size()) {
    return base::InvalidArgument("a state that grows has as many dimensions as the input");
  } else {
    next.insert(next.end(), addend.begin(), addend.end());
    shape.back() += input->shape.back();
  }
  Answer answer(host, model, part.batch());
  for (uint32_t i = 0; i < model->output_list.size(); ++i) {
    INFERD_RETURN_IF_ERROR(AddTensor(answer, i, shape, next));
  }
  answer.Send(part.request(), true);
  return base::OkStatus();
}

int32_t NumberIn(const Part::Input* input) {
  int32_t number = 0;
  if (input == nullptr) return number;
  const std::vector<std::byte> bytes = BytesOf(*input);
  std::memcpy(&number, bytes.data(), std::min(sizeof(number), bytes.size()));
  return number;
}

// Returns a name that differs for a number and a text.
std::string NameOf(const inferd_sequence& sequence) {
  if (sequence.text.size > 0) return "text " + std::string(sequence.text.data, sequence.text.size);
  return std::to_string(sequence.number);
}

}  // namespace

base::Status ImplicitState(const inferd_host* host, const inferd_model* model, const inferd_batch* batch) {
  if (model->options.respond == Respond::kAll && !model->options.state_grows) {
    return NextState(host, model, Part::WholeBatch(batch));
  }
  for (size_t i = 0; i < batch->request_count; ++i) {
    const size_t request = model->options.respond == Respond::kReverse ? batch->request_count - 1 - i : i;
    INFERD_RETURN_IF_ERROR(NextState(host, model, Part::OneRequest(batch, request)));
  }
  return base::OkStatus();
}

base::Status Countdowns::Run(const inferd_host* host, const inferd_model* model, const inferd_batch* batch) {
  for (size_t request = 0; request < batch->request_count; ++request) {
    inferd_sequence sequence = {};
    sequence.struct_size = sizeof(sequence);
    if (host->fills_up(batch, request) != 0 || host->sequence(batch, request, &sequence) == 0) {
      Answer::Fail(host, batch, request, INFERD_CANCELLED, "no request of a sequence");
      continue;
    }
    const Part part = Part::OneRequest(batch, request);
    const Part::Input* const input = part.FindInput(0);
    if (input == nullptr) return base::InvalidArgument("iterative_sequence needs its input");
    const Part::Input* const state = Find(model, part, "INPUT_STATE");
    int32_t count = sequence.start != 0 ? NumberIn(input)
                    : state != nullptr  ? NumberIn(state)
                                        : counts_[NameOf(sequence)];
    count = std::max(count - 1, 0);
    if (state == nullptr && count > 0) counts_[NameOf(sequence)] = count;
    if (state == nullptr && count == 0) counts_.erase(NameOf(sequence));
    std::vector<std::byte> bytes(sizeof(count));
    std::memcpy(bytes.data(), &count, sizeof(count));
    Answer answer(host, model, batch);
    for (uint32_t i = 0; i < model->output_list.size(); ++i) {
      INFERD_RETURN_IF_ERROR(AddTensor(answer, i, input->shape, bytes));
    }
    answer.Send(request, true, count > 0);
  }
  return base::OkStatus();
}

}  // namespace inferd::fake
