#include "engines/fake/fake_behaviors.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>

#include "data/tensor/data_type.h"
#include "engines/fake/fake_answer.h"
#include "engines/fake/fake_device.h"

namespace inferd::fake {

namespace {

constexpr int64_t kNsPerMs = 1'000'000;

const inferd_input* FindInput(const inferd_batch* batch, uint32_t index) {
  for (size_t i = 0; i < batch->input_count; ++i) {
    if (batch->inputs[i]->index == index) return batch->inputs[i];
  }
  return nullptr;
}

base::Status NoMemory() { return base::ResourceExhausted("engine 'fake' has no memory for an output"); }

void GatherElements(const Part::Input& input, std::vector<inferd_text>* elements) {
  for (const inferd_memory& piece : input.pieces) {
    const auto* first = static_cast<const inferd_text*>(piece.data);
    elements->insert(elements->end(), first, first + piece.size / sizeof(inferd_text));
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
  std::memcpy(&value, Reach(piece) + i * sizeof(T), sizeof(T));
  return value;
}

// Returns the index of the tensor called `name`, or -1 if there is none.
int Position(const std::vector<const inferd_tensor_spec*>& list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (std::string_view(list[i]->name.data, list[i]->name.size) == name) return static_cast<int>(i);
  }
  return -1;
}

const inferd_input* FindInput(const inferd_model* model, const inferd_batch* batch, std::string_view name) {
  const int position = Position(model->input_list, name);
  return position < 0 ? nullptr : FindInput(batch, static_cast<uint32_t>(position));
}

// Sends one response of a stream: `number` as the first output, and its place in the stream as output IDX if there is
// one. It is the only response of a model that is not decoupled.
base::Status SendNumber(const inferd_host* host, const inferd_model* model, const inferd_batch* batch, size_t request,
                        int32_t number, size_t place) {
  Answer answer(host, model, batch);
  const int idx = Position(model->output_list, "IDX");
  for (size_t i = 0; i < batch->output_count; ++i) {
    const uint32_t index = batch->outputs[i];
    const auto value = static_cast<int>(index) == idx ? static_cast<uint32_t>(place) : static_cast<uint32_t>(number);
    void* out = answer.Add(index, std::vector<int64_t>(model->output(index).rank, 1), sizeof(value));
    if (out == nullptr) return NoMemory();
    std::memcpy(out, &value, sizeof(value));
  }
  answer.Send(request, model->signature.decoupled == 0);
  return base::OkStatus();
}

}  // namespace

namespace {

// Returns the shape of an output that repeats `input`. A ragged input is a row of elements, which becomes a request's
// rows.
std::vector<int64_t> RepeatedShape(const inferd_model* model, const Part& part, uint32_t output,
                                   const Part::Input& input) {
  const bool ragged = input.shape.size() == 1 && model->output(output).rank == 2;
  if (!ragged || part.request() == INFERD_ALL_REQUESTS) return input.shape;
  const int64_t rows = part.batch()->rows[part.request()];
  return {rows, rows > 0 ? input.shape[0] / rows : 0};
}

// Returns the shape of an output whose optional input was left out: 1 for each dimension that the model leaves open.
std::vector<int64_t> ShapeOfZeros(const inferd_model* model, const Part& part, uint32_t output) {
  const inferd_tensor_spec& spec = model->output(output);
  std::vector<int64_t> shape(spec.shape, spec.shape + spec.rank);
  std::ranges::replace(shape, -1, 1);
  if (!model->batches || shape.empty()) return shape;
  const inferd_batch* const batch = part.batch();
  const bool whole = part.request() == INFERD_ALL_REQUESTS;
  shape[0] = whole ? std::accumulate(batch->rows, batch->rows + batch->request_count, int64_t{0})
                   : batch->rows[part.request()];
  return shape;
}

// Zeros are numbers, or the lengths of empty texts.
size_t ZerosSize(int32_t datatype, const std::vector<int64_t>& shape) {
  const size_t element =
      datatype == INFERD_TYPE_BYTES ? sizeof(uint32_t) : tensor::ElementSize(static_cast<tensor::DataType>(datatype));
  return std::accumulate(shape.begin(), shape.end(), element,
                         [](size_t size, int64_t dim) { return size * static_cast<size_t>(dim); });
}

}  // namespace

bool RepeatsRaggedInputs(const inferd_model* model, const inferd_batch* batch) {
  for (size_t i = 0; i < batch->input_count; ++i) {
    const inferd_input& input = *batch->inputs[i];
    const bool repeated = input.index < model->output_list.size();
    if (repeated && input.rank == 1 && model->output(input.index).rank == 2) return true;
  }
  return false;
}

base::Status Identity(const inferd_host* host, const inferd_model* model, const Part& part) {
  const inferd_batch* batch = part.batch();
  Answer answer(host, model, batch);
  std::vector<std::vector<inferd_text>> elements(batch->output_count);
  for (size_t i = 0; i < batch->output_count; ++i) {
    const uint32_t index = batch->outputs[i];
    const Part::Input* input = part.FindInput(index);
    if (input == nullptr && model->input(index).optional != 0) {
      const std::vector<int64_t> shape = ShapeOfZeros(model, part, index);
      const size_t size = ZerosSize(model->output(index).datatype, shape);
      void* const out = answer.Add(index, shape, size);
      if (out == nullptr) return NoMemory();
      std::memset(out, 0, size);
      continue;
    }
    if (input == nullptr) {
      const inferd_text& name = model->output(index).name;
      return base::InvalidArgument("output '" + std::string(name.data, name.size) +
                                   "' repeats an input that was not given");
    }
    if (input->datatype == INFERD_TYPE_BYTES && input->bytes_form == INFERD_BYTES_ELEMENTS) {
      GatherElements(*input, &elements[i]);
      answer.AddElements(index, RepeatedShape(model, part, index, *input), elements[i]);
      continue;
    }
    auto* out = static_cast<std::byte*>(answer.Add(index, RepeatedShape(model, part, index, *input), input->bytes()));
    if (out == nullptr) return NoMemory();
    for (const inferd_memory& piece : input->pieces) {
      std::memcpy(out, piece.data, piece.size);
      out += piece.size;
    }
  }
  answer.Send(part.request(), true);
  return base::OkStatus();
}

base::Status AddSub(const inferd_host* host, const inferd_model* model, const Part& part) {
  const Part::Input* left = part.FindInput(0);
  const Part::Input* right = part.FindInput(1);
  if (left == nullptr || right == nullptr) return base::InvalidArgument("add_sub needs both inputs");
  bool alike = left->pieces.size() == right->pieces.size() && left->shape == right->shape;
  for (size_t p = 0; alike && p < left->pieces.size(); ++p) alike = left->pieces[p].size == right->pieces[p].size;
  if (!alike) return base::InvalidArgument("add_sub needs inputs of one shape");
  Answer answer(host, model, part.batch());
  for (const uint32_t index : {0U, 1U}) {
    if (!answer.Wants(index)) continue;
    auto* out = static_cast<std::byte*>(answer.Add(index, left->shape, left->bytes()));
    if (out == nullptr) return NoMemory();
    for (size_t p = 0; p < left->pieces.size(); ++p) {
      CombineAs(left->datatype, left->pieces[p], right->pieces[p], index == 0, out);
      out += left->pieces[p].size;
    }
  }
  answer.Send(part.request(), true);
  return base::OkStatus();
}

int64_t WaitOf(const inferd_model* model, const inferd_batch* batch) {
  const inferd_input* wait = FindInput(model, batch, "WAIT");
  if (wait == nullptr) return -1;
  int64_t ns = 0;
  for (size_t piece = 0; piece < wait->piece_count; ++piece) {
    if (wait->pieces[piece].size >= sizeof(uint32_t)) ns += kNsPerMs * Element<uint32_t>(wait->pieces[piece], 0);
  }
  return ns;
}

base::Status Repeat(const inferd_host* host, const inferd_model* model, const inferd_batch* batch, const Pause& pause) {
  const inferd_input* in = FindInput(batch, 0);
  const inferd_input* delay = FindInput(model, batch, "DELAY");
  const bool single = model->signature.decoupled == 0;
  const auto elements = [batch](const inferd_input& input, size_t request) {
    return input.piece_count == batch->request_count ? input.pieces[request].size / sizeof(int32_t) : 0;
  };
  for (size_t request = 0; request < batch->request_count; ++request) {
    if (in == nullptr || in->piece_count != batch->request_count) {
      return base::InvalidArgument("repeat needs input 'IN'");
    }
    const size_t count = elements(*in, request);
    if (delay != nullptr && elements(*delay, request) != count) {
      return base::InvalidArgument("expected IN and DELAY shape to match, got [" + std::to_string(count) + "] and [" +
                                   std::to_string(elements(*delay, request)) + "]");
    }
    bool wanted = true;
    for (size_t i = 0; wanted && i < count; ++i) {
      wanted = pause(request, delay == nullptr ? 0 : kNsPerMs * Element<uint32_t>(delay->pieces[request], i));
      if (!wanted) break;
      const auto number = Element<int32_t>(in->pieces[request], i);
      INFERD_RETURN_IF_ERROR(SendNumber(host, model, batch, request, number, i));
      if (single) break;
    }
    if (single && count > 0 && wanted) continue;
    if (wanted) {
      Answer(host, model, batch).Send(request, true);
    } else {
      Answer::Fail(host, batch, request, INFERD_CANCELLED, "cancelled");
    }
  }
  return base::OkStatus();
}

base::Status Square(const inferd_host* host, const inferd_model* model, const inferd_batch* batch, const Pause& pause) {
  const FakeOptions& options = model->options;
  const inferd_input* in = FindInput(batch, 0);
  const bool complete = in != nullptr && in->piece_count == batch->request_count;
  const bool single = model->signature.decoupled == 0;
  for (size_t request = 0; request < batch->request_count; ++request) {
    if (!complete || in->pieces[request].size != sizeof(int32_t)) {
      return base::InvalidArgument("square needs one number in input 'IN'");
    }
    const auto number = Element<int32_t>(in->pieces[request], 0);
    // First the successful responses, then the failures, then those that are left out.
    const int64_t told = number - options.square_empty_count;
    bool wanted = true;
    bool answered = false;
    for (int64_t i = 0; wanted && i < number; ++i) {
      wanted = pause(request, options.square_infer_delay_ns);
      if (!wanted || i >= told) continue;
      wanted = pause(request, options.square_output_delay_ns);
      if (i < told - options.square_fail_count) {
        INFERD_RETURN_IF_ERROR(SendNumber(host, model, batch, request, number, static_cast<size_t>(i)));
        answered = single;
        if (answered) break;
      } else {
        Answer::Fail(host, batch, request, INFERD_UNKNOWN, "simulated failure", false);
      }
    }
    if (answered) continue;
    if (wanted) {
      Answer(host, model, batch).Send(request, true);
    } else {
      std::this_thread::sleep_for(std::chrono::nanoseconds(options.square_cancel_delay_ns));
      Answer::Fail(host, batch, request, INFERD_CANCELLED, "cancelled");
    }
  }
  return base::OkStatus();
}

}  // namespace inferd::fake
