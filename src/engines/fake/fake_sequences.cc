#include "engines/fake/fake_sequences.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

#include "data/tensor/bytes.h"
#include "data/tensor/data_type.h"
#include "engines/fake/fake_answer.h"
#include "engines/fake/fake_model.h"
#include "engines/fake/fake_numbers.h"
#include "engines/fake/fake_part.h"

namespace inferd::fake {

namespace {

// One input of one request, which has one row or more.
class Rows final {
 public:
  Rows(const Part& part, int index, size_t rows) : rows_(rows) {
    if (index >= 0) input_ = part.FindInput(static_cast<uint32_t>(index));
    if (input_ == nullptr) return;
    for (const inferd_memory& piece : input_->pieces) {
      const auto* first = static_cast<const std::byte*>(piece.data);
      data_.insert(data_.end(), first, first + piece.size);
    }
  }

  bool given() const { return input_ != nullptr; }
  std::span<const std::byte> Of(size_t row) const {
    const size_t size = data_.size() / rows_;
    return std::span(data_).subspan(row * size, size);
  }
  // For an input of one element. Returns `absent` if there is no such input.
  bool IsSet(size_t row, bool absent) const {
    if (!given()) return absent;
    const auto bytes = Of(row);
    return std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; });
  }
  // Returns a CORRID as text: its number, or its text.
  std::string Name(size_t row) const {
    const auto bytes = Of(row);
    switch (input_->datatype) {
      case INFERD_TYPE_BYTES: return TextOf(row);
      case INFERD_TYPE_INT32: return std::to_string(Number<int32_t>(bytes));
      case INFERD_TYPE_UINT32: return std::to_string(Number<uint32_t>(bytes));
      case INFERD_TYPE_INT64: return std::to_string(Number<int64_t>(bytes));
      default: return std::to_string(Number<uint64_t>(bytes));
    }
  }

 private:
  template <typename T>
  static T Number(std::span<const std::byte> bytes) {
    T value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof(value), bytes.size()));
    return value;
  }

  std::string TextOf(size_t row) const {
    if (input_->bytes_form == INFERD_BYTES_ELEMENTS) {
      inferd_text text = {};
      std::memcpy(&text, Of(row).data(), sizeof(text));
      return {text.data, text.size};
    }
    size_t i = 0;
    for (const std::string_view element : tensor::PackedElements(data_)) {
      if (i++ == row) return std::string(element);
    }
    return "";
  }

  const size_t rows_;
  const Part::Input* input_ = nullptr;
  std::vector<std::byte> data_;
};

template <typename T>
void Fill(std::vector<std::byte>& bytes, T value) {
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) std::memcpy(bytes.data() + i, &value, sizeof(T));
}

// Returns `size` bytes in which each element is the number in the text, or 0 if it is not a number.
std::vector<std::byte> ElementsOf(std::string_view text, int32_t datatype, size_t size) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  std::vector<std::byte> bytes(size);
  if (datatype == INFERD_TYPE_FP32) {
    Fill(bytes, static_cast<float>(number));
  } else if (datatype == INFERD_TYPE_FP64) {
    Fill(bytes, static_cast<double>(number));
  } else {
    switch (tensor::ElementSize(static_cast<tensor::DataType>(datatype))) {
      case 1: Fill(bytes, static_cast<uint8_t>(number)); break;
      case 2: Fill(bytes, static_cast<uint16_t>(number)); break;
      case 4: Fill(bytes, static_cast<uint32_t>(number)); break;
      default: Fill(bytes, number); break;
    }
  }
  return bytes;
}

}  // namespace

base::Status Accumulators::Run(const inferd_host* host, const inferd_model* model, const inferd_batch* batch) {
  const bool by_id = model->options.behavior == Behavior::kDynaSequence;
  const int32_t datatype = model->input(0).datatype;
  const bool whole = model->options.respond == Respond::kAll;
  std::vector<std::byte> output;
  std::vector<std::vector<std::byte>> outputs;
  std::vector<std::vector<int64_t>> shapes;
  size_t slot = 0;
  for (size_t request = 0; request < batch->request_count; ++request) {
    const Part part = Part::OneRequest(batch, request);
    const auto rows = static_cast<size_t>(std::max<int64_t>(batch->rows[request], 1));
    const Rows values(part, 0, rows);
    const Rows start(part, model->FindInput("START"), rows);
    const Rows ready(part, model->FindInput("READY"), rows);
    const Rows end(part, model->FindInput("END"), rows);
    const Rows id(part, model->FindInput("CORRID"), rows);
    if (!values.given()) return base::InvalidArgument("a sequence needs its input");
    std::vector<std::byte>& own = outputs.emplace_back();
    shapes.push_back(part.FindInput(0)->shape);
    for (size_t row = 0; row < rows; ++row, ++slot) {
      const auto addend = values.Of(row);
      if (!ready.IsSet(row, true)) {
        own.resize(own.size() + addend.size());
        continue;
      }
      const std::string name = by_id ? id.Name(row) : std::to_string(slot);
      Sum& sum = sums_[name];
      if (start.IsSet(row, false)) sum.clear();
      sum.resize(addend.size());
      AddAs(datatype, sum, addend);
      Sum answer = sum;
      if (by_id && end.IsSet(row, false)) {
        AddAs(datatype, answer, ElementsOf(name, datatype, answer.size()));
        sums_.erase(name);
      }
      own.insert(own.end(), answer.begin(), answer.end());
    }
    output.insert(output.end(), own.begin(), own.end());
  }
  const auto send = [&](size_t request, const std::vector<int64_t>& shape, const std::vector<std::byte>& bytes) {
    Answer answer(host, model, batch);
    if (answer.Wants(0)) {
      void* const memory = answer.Add(0, shape, bytes.size());
      if (memory == nullptr) return base::ResourceExhausted("engine 'fake' has no memory for an output");
      std::memcpy(memory, bytes.data(), bytes.size());
    }
    answer.Send(request, true);
    return base::OkStatus();
  };
  if (whole) return send(INFERD_ALL_REQUESTS, Part::WholeBatch(batch).FindInput(0)->shape, output);
  for (size_t i = 0; i < batch->request_count; ++i) {
    const size_t request = model->options.respond == Respond::kReverse ? batch->request_count - 1 - i : i;
    INFERD_RETURN_IF_ERROR(send(request, shapes[request], outputs[request]));
  }
  return base::OkStatus();
}

}  // namespace inferd::fake
