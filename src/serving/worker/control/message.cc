#include "serving/worker/control/message.h"

namespace inferd::worker {

namespace {

constexpr size_t kParameterBytesMin = sizeof(uint64_t) + 2 * sizeof(uint8_t);

}  // namespace

void MessageWriter::AddShape(const tensor::Shape& shape) {
  Add(static_cast<uint64_t>(shape.rank()));
  for (const int64_t dim : shape.dims()) Add(dim);
}

void MessageWriter::AddParameters(const core::Parameters& parameters) {
  Add(static_cast<uint64_t>(parameters.size()));
  for (const auto& [name, value] : parameters) {
    AddText(name);
    Add(static_cast<uint8_t>(value.index()));
    std::visit(
        [this](const auto& held) {
          using Held = std::remove_cvref_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, std::string>) {
            AddText(held);
          } else {
            Add(held);
          }
        },
        value);
  }
}

std::string_view MessageReader::TakeBytes(uint64_t size) {
  if (!ok_ || size > text_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view bytes = text_.substr(0, size);
  text_.remove_prefix(size);
  return bytes;
}

size_t MessageReader::TakeCount(size_t element_bytes_min) {
  const auto count = Take<uint64_t>();
  if (count > text_.size() / element_bytes_min) ok_ = false;
  return ok_ ? count : 0;
}

tensor::Shape MessageReader::TakeShape(int64_t dim_min) {
  const size_t rank = TakeCount(sizeof(int64_t));
  if (rank > tensor::kRankMax) ok_ = false;
  tensor::Shape shape;
  for (size_t i = 0; ok_ && i < rank; ++i) {
    shape.Append(Take<int64_t>());
    if (shape[i] < dim_min) ok_ = false;
  }
  return ok_ ? shape : tensor::Shape();
}

core::Parameters MessageReader::TakeParameters(size_t count_max) {
  const size_t count = TakeCount(kParameterBytesMin);
  if (count > count_max) ok_ = false;
  core::Parameters parameters;
  for (size_t i = 0; ok_ && i < count; ++i) {
    std::string name(TakeText());
    core::ParameterValue value;
    switch (Take<uint8_t>()) {
      case 0: value = TakeBool(); break;
      case 1: value = Take<int64_t>(); break;
      case 2: value = Take<uint64_t>(); break;
      case 3: value = Take<double>(); break;
      case 4: value = std::string(TakeText()); break;
      default: ok_ = false;
    }
    parameters.emplace_back(std::move(name), std::move(value));
  }
  return parameters;
}

// Writes one byte for a request without a sequence, as most are.
void MessageWriter::AddSequence(const core::Sequence& sequence) {
  Add(static_cast<uint8_t>(sequence.named()));
  if (!sequence.named()) return;
  const auto* text = std::get_if<std::string>(&sequence.id);
  AddText(text == nullptr ? std::string_view() : *text);
  if (text == nullptr) Add(std::get<uint64_t>(sequence.id));
  Add(static_cast<uint8_t>(sequence.start));
  Add(static_cast<uint8_t>(sequence.end));
}

core::Sequence MessageReader::TakeSequence() {
  core::Sequence sequence;
  if (!TakeBool()) return sequence;
  if (const std::string_view text = TakeText(); text.empty()) {
    sequence.id = Take<uint64_t>();
  } else {
    sequence.id = std::string(text);
  }
  sequence.start = TakeBool();
  sequence.end = TakeBool();
  if (!sequence.named()) Refuse();
  return sequence;
}

}  // namespace inferd::worker
