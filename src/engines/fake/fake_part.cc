#include "engines/fake/fake_part.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include "data/tensor/bytes.h"
#include "data/tensor/data_type.h"
#include "engines/fake/fake_device.h"

namespace inferd::fake {

namespace {

// Returns the bytes of elements [first, first + count) of a packed BYTES tensor.
inferd_memory PackedRange(const inferd_memory& whole, size_t first, size_t count) {
  const std::span packed(static_cast<const std::byte*>(whole.data), whole.size);
  size_t begin = 0;
  size_t end = 0;
  size_t i = 0;
  for (const std::string_view element : tensor::PackedElements(packed)) {
    if (i == first + count) break;
    end += sizeof(uint32_t) + element.size();
    if (++i <= first) begin = end;
  }
  return {packed.data() + begin, end - begin, whole.kind, whole.device};
}

// Returns the rows of one request from an input that the host has gathered.
inferd_memory RowsOf(const inferd_batch* batch, const inferd_input& input, size_t request) {
  const int64_t first = std::accumulate(batch->rows, batch->rows + request, int64_t{0});
  const int64_t total = std::accumulate(batch->rows + request, batch->rows + batch->request_count, first);
  const inferd_memory& whole = input.pieces[0];
  if (total <= 0) return whole;
  const auto begin = static_cast<size_t>(first);
  const auto count = static_cast<size_t>(batch->rows[request]);
  if (input.datatype == INFERD_TYPE_BYTES && input.bytes_form == INFERD_BYTES_PACKED) {
    const int64_t elements =
        std::accumulate(input.shape, input.shape + input.rank, int64_t{1}, std::multiplies<int64_t>());
    const auto of_a_row = static_cast<size_t>(elements / total);
    return PackedRange(whole, begin * of_a_row, count * of_a_row);
  }
  const size_t of_a_row = whole.size / static_cast<size_t>(total);
  return {static_cast<const std::byte*>(whole.data) + begin * of_a_row, count * of_a_row, whole.kind, whole.device};
}

size_t ElementsIn(const inferd_input& input, const inferd_memory& piece) {
  if (input.datatype != INFERD_TYPE_BYTES) {
    return piece.size / tensor::ElementSize(static_cast<tensor::DataType>(input.datatype));
  }
  if (input.bytes_form == INFERD_BYTES_ELEMENTS) return piece.size / sizeof(inferd_text);
  size_t count = 0;
  const std::span packed(static_cast<const std::byte*>(piece.data), piece.size);
  for ([[maybe_unused]] const std::string_view element : tensor::PackedElements(packed)) ++count;
  return count;
}

// A row of elements may be ragged: each request has its own number.
std::vector<int64_t> ShapeOf(const inferd_batch* batch, const inferd_input& input, size_t request,
                             const inferd_memory& piece) {
  std::vector<int64_t> shape(input.shape, input.shape + input.rank);
  if (!shape.empty()) shape[0] = batch->rows[request];
  if (shape.size() == 1) shape[0] = static_cast<int64_t>(ElementsIn(input, piece));
  return shape;
}

// Returns the pieces at addresses that this code can read.
std::vector<inferd_memory> Reached(const inferd_input& input) {
  std::vector<inferd_memory> pieces(input.pieces, input.pieces + input.piece_count);
  for (inferd_memory& piece : pieces) piece.data = Reach(piece);
  return pieces;
}

Part::Input CopyOf(const inferd_input& input) {
  Part::Input copy{
      input.index, input.datatype, input.bytes_form, {input.shape, input.shape + input.rank}, Reached(input)};
  return copy;
}

template <typename T>
bool Holds(const inferd_memory& piece, int64_t value) {
  const auto wanted = static_cast<T>(value);
  if (static_cast<int64_t>(wanted) != value) return false;
  const std::byte* const bytes = Reach(piece);
  for (size_t i = 0; i + sizeof(T) <= piece.size; i += sizeof(T)) {
    if (std::memcmp(bytes + i, &wanted, sizeof(T)) == 0) return true;
  }
  return false;
}

bool HoldsAs(int32_t datatype, const inferd_memory& piece, int64_t value) {
  switch (datatype) {
    case INFERD_TYPE_INT8: return Holds<int8_t>(piece, value);
    case INFERD_TYPE_INT16: return Holds<int16_t>(piece, value);
    case INFERD_TYPE_INT32: return Holds<int32_t>(piece, value);
    case INFERD_TYPE_INT64: return Holds<int64_t>(piece, value);
    case INFERD_TYPE_UINT8: return Holds<uint8_t>(piece, value);
    case INFERD_TYPE_UINT16: return Holds<uint16_t>(piece, value);
    case INFERD_TYPE_UINT32: return Holds<uint32_t>(piece, value);
    case INFERD_TYPE_UINT64: return Holds<uint64_t>(piece, value);
    case INFERD_TYPE_FP32: return Holds<float>(piece, value);
    case INFERD_TYPE_FP64: return Holds<double>(piece, value);
    default: return false;
  }
}

}  // namespace

size_t Part::Input::bytes() const {
  size_t total = 0;
  for (const inferd_memory& piece : pieces) total += piece.size;
  return total;
}

Part Part::WholeBatch(const inferd_batch* batch) {
  Part part(batch, INFERD_ALL_REQUESTS);
  for (size_t i = 0; i < batch->input_count; ++i) part.inputs_.push_back(CopyOf(*batch->inputs[i]));
  return part;
}

Part Part::OneRequest(const inferd_batch* batch, size_t request) {
  Part part(batch, request);
  for (size_t i = 0; i < batch->input_count; ++i) {
    const inferd_input& input = *batch->inputs[i];
    Input own = CopyOf(input);
    if (batch->request_count > 1) {
      own.pieces = {input.piece_count == 1 ? RowsOf(batch, input, request) : input.pieces[request]};
      own.shape = ShapeOf(batch, input, request, own.pieces[0]);
      own.pieces[0].data = Reach(own.pieces[0]);
    }
    part.inputs_.push_back(std::move(own));
  }
  return part;
}

const Part::Input* Part::FindInput(uint32_t index) const {
  const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const Input& i) { return i.index == index; });
  return found == inputs_.end() ? nullptr : &*found;
}

bool HoldsValue(const inferd_batch* batch, int64_t value) {
  for (size_t i = 0; i < batch->input_count; ++i) {
    const inferd_input& input = *batch->inputs[i];
    for (size_t p = 0; p < input.piece_count; ++p) {
      if (HoldsAs(input.datatype, input.pieces[p], value)) return true;
    }
  }
  return false;
}

}  // namespace inferd::fake
