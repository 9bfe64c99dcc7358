#include "engines/fake/fake_behaviors.h"

#include <cstring>
#include <string>
#include <string_view>

#include "engines/fake/fake_answer.h"
#include "tensor/data_type.h"

namespace inferd::fake {

namespace {

const inferd_input* FindInput(const inferd_batch* batch, uint32_t index) {
  for (size_t i = 0; i < batch->input_count; ++i) {
    if (batch->inputs[i]->index == index) return batch->inputs[i];
  }
  return nullptr;
}

size_t TotalBytes(const inferd_input& input) {
  size_t bytes = 0;
  for (size_t i = 0; i < input.piece_count; ++i) bytes += input.pieces[i].size;
  return bytes;
}

std::vector<int64_t> ShapeOf(const inferd_input& input) { return {input.shape, input.shape + input.rank}; }

base::Status NoMemory() { return base::ResourceExhausted("engine 'fake' has no memory for an output"); }

void GatherElements(const inferd_input& input, std::vector<inferd_text>* elements) {
  for (size_t i = 0; i < input.piece_count; ++i) {
    const auto* first = static_cast<const inferd_text*>(input.pieces[i].data);
    elements->insert(elements->end(), first, first + input.pieces[i].size / sizeof(inferd_text));
  }
}

template <typename T>
void Combine(const inferd_memory& left, const inferd_memory& right, bool add, std::byte* out) {
  const auto* a = static_cast<const std::byte*>(left.data);
  const auto* b = static_cast<const std::byte*>(right.data);
  for (size_t i = 0; i < left.size; i += sizeof(T)) {
    T x;
    T y;
    std::memcpy(&x, a + i, sizeof(T));
    std::memcpy(&y, b + i, sizeof(T));
    const T z = static_cast<T>(add ? x + y : x - y);
    std::memcpy(out + i, &z, sizeof(T));
  }
}

void CombineAs(int32_t datatype, const inferd_memory& left, const inferd_memory& right, bool add, std::byte* out) {
  if (datatype == INFERD_TYPE_FP32) return Combine<float>(left, right, add, out);
  if (datatype == INFERD_TYPE_FP64) return Combine<double>(left, right, add, out);
  // Two's complement: signed and unsigned sums have the same bits.
  switch (tensor::ElementSize(static_cast<tensor::DataType>(datatype))) {
    case 1: return Combine<uint8_t>(left, right, add, out);
    case 2: return Combine<uint16_t>(left, right, add, out);
    case 4: return Combine<uint32_t>(left, right, add, out);
    default: return Combine<uint64_t>(left, right, add, out);
  }
}

template <typename T>
T Element(const inferd_memory& piece, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(piece.data) + i * sizeof(T), sizeof(T));
  return value;
}

// Position of the tensor called `name`; -1: none.
int Position(const std::vector<const inferd_tensor_spec*>& list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (std::string_view(list[i]->name.data, list[i]->name.size) == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

base::Status Identity(const inferd_host* host, const inferd_model* model, const inferd_batch* batch) {
  Answer answer(host, model, batch);
  std::vector<std::vector<inferd_text>> elements(batch->output_count);
  for (size_t i = 0; i < batch->output_count; ++i) {
    const uint32_t index = batch->outputs[i];
    const inferd_input* input = FindInput(batch, index);
    if (input == nullptr) {
      const inferd_text& name = model->output(index).name;
      return base::InvalidArgument("output '" + std::string(name.data, name.size) +
                                   "' repeats an input that was not given");
    }
    if (input->datatype == INFERD_TYPE_BYTES && input->bytes_form == INFERD_BYTES_ELEMENTS) {
      GatherElements(*input, &elements[i]);
      answer.AddElements(index, ShapeOf(*input), elements[i]);
      continue;
    }
    auto* out = static_cast<std::byte*>(answer.Add(index, ShapeOf(*input), TotalBytes(*input)));
    if (out == nullptr) return NoMemory();
    for (size_t p = 0; p < input->piece_count; ++p) {
      std::memcpy(out, input->pieces[p].data, input->pieces[p].size);
      out += input->pieces[p].size;
    }
  }
  answer.Send(INFERD_ALL_REQUESTS, true);
  return base::OkStatus();
}

base::Status AddSub(const inferd_host* host, const inferd_model* model, const inferd_batch* batch) {
  const inferd_input* left = FindInput(batch, 0);
  const inferd_input* right = FindInput(batch, 1);
  if (left == nullptr || right == nullptr) return base::InvalidArgument("add_sub needs both inputs");
  bool alike = left->piece_count == right->piece_count && ShapeOf(*left) == ShapeOf(*right);
  for (size_t p = 0; alike && p < left->piece_count; ++p) alike = left->pieces[p].size == right->pieces[p].size;
  if (!alike) return base::InvalidArgument("add_sub needs inputs of one shape");
  Answer answer(host, model, batch);
  for (const uint32_t index : {0U, 1U}) {
    if (!answer.Wants(index)) continue;
    auto* out = static_cast<std::byte*>(answer.Add(index, ShapeOf(*left), TotalBytes(*left)));
    if (out == nullptr) return NoMemory();
    for (size_t p = 0; p < left->piece_count; ++p) {
      CombineAs(left->datatype, left->pieces[p], right->pieces[p], index == 0, out);
      out += left->pieces[p].size;
    }
  }
  answer.Send(INFERD_ALL_REQUESTS, true);
  return base::OkStatus();
}

base::Status Repeat(const inferd_host* host, const inferd_model* model, const inferd_batch* batch,
                    const std::function<bool(size_t request, int64_t ms)>& pause) {
  const inferd_input* in = FindInput(batch, 0);
  const int delay_position = Position(model->input_list, "DELAY");
  const int wait_position = Position(model->input_list, "WAIT");
  const int idx = Position(model->output_list, "IDX");
  const inferd_input* delay = delay_position < 0 ? nullptr : FindInput(batch, static_cast<uint32_t>(delay_position));
  const inferd_input* wait = wait_position < 0 ? nullptr : FindInput(batch, static_cast<uint32_t>(wait_position));
  if (in == nullptr) return base::InvalidArgument("repeat needs input 'IN'");
  if (in->piece_count != batch->request_count || (delay != nullptr && TotalBytes(*delay) < TotalBytes(*in))) {
    return base::InvalidArgument("repeat needs a DELAY for each element of IN");
  }
  for (size_t request = 0; request < batch->request_count; ++request) {
    const size_t count = in->pieces[request].size / sizeof(int32_t);
    bool wanted = true;
    for (size_t i = 0; wanted && i < count; ++i) {
      if (delay != nullptr) wanted = pause(request, Element<uint32_t>(delay->pieces[request], i));
      if (!wanted) break;
      Answer answer(host, model, batch);
      if (answer.Wants(0)) {
        void* out = answer.Add(0, std::vector<int64_t>(model->output(0).rank, 1), sizeof(int32_t));
        if (out == nullptr) return NoMemory();
        const auto value = Element<int32_t>(in->pieces[request], i);
        std::memcpy(out, &value, sizeof(value));
      }
      if (idx >= 0 && answer.Wants(static_cast<uint32_t>(idx))) {
        void* out =
            answer.Add(static_cast<uint32_t>(idx), std::vector<int64_t>(model->output(idx).rank, 1), sizeof(uint32_t));
        if (out == nullptr) return NoMemory();
        const auto position = static_cast<uint32_t>(i);
        std::memcpy(out, &position, sizeof(position));
      }
      answer.Send(request, false);
    }
    if (wanted) {
      Answer(host, model, batch).Send(request, true);
    } else {
      Answer::Fail(host, batch, request, INFERD_CANCELLED, "cancelled");
    }
    if (wait != nullptr && wait->pieces[request].size >= sizeof(uint32_t)) {
      pause(request, Element<uint32_t>(wait->pieces[request], 0));
    }
  }
  return base::OkStatus();
}

}  // namespace inferd::fake
