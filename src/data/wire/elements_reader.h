#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/wire/reader.h"

// A tensor's elements as a repeated field has them, straight into the tensor's bytes: numbers packed or one by one,
// narrow ones as 32-bit varints, FP16 and BF16 as varints of their bits, complex ones as two numbers, BYTES one by one.

namespace inferd::wire {

// How one number of a tensor of `type` is laid out where it is not packed.
Type ElementType(tensor::DataType type);

// Of which a field has so many for each element of a tensor of `type`: two for complex numbers.
size_t NumbersPerElement(tensor::DataType type);

// What the elements of a field are, found before any memory is taken. Complex numbers count as two.
struct Extent {
  size_t elements = 0;
  size_t bytes = 0;           // of all BYTES elements
  uint32_t wrong_number = 0;  // a field that has elements and is not the one wanted
};

// The elements in a packed field; `in` fails if it ends inside one.
size_t CountPacked(Reader& in, std::string_view packed, Type element);

// Adds up the elements of the message `in`. `element_type(number)` is that of the field's elements; kEndGroup: it has
// none that count.
template <typename ElementTypeOf>
base::Status Measure(Reader in, uint32_t wanted, ElementTypeOf element_type, Extent& extent) {
  while (const uint32_t tag = in.Next()) {
    const uint32_t number = NumberOf(tag);
    const Type element = element_type(number);
    size_t elements = 0;
    if (TypeOf(tag) == Type::kBytes && element != Type::kEndGroup) {
      const std::string_view bytes = in.Bytes();
      elements = element == Type::kBytes ? 1 : CountPacked(in, bytes, element);
      extent.bytes += bytes.size();
    } else {
      elements = TypeOf(tag) == element ? 1 : 0;
      in.Skip();
    }
    if (elements == 0) continue;
    if (number != wanted) extent.wrong_number = number;
    extent.elements += elements;
  }
  return in.status();
}

// The elements of field `number` as a tensor of `type` (BYTES packed). `parts` are the messages that the wire holds for
// one, in order: protobuf merges them. `extent` is what Measure found in them. INVALID_ARGUMENT: malformed parts, or an
// element that the type cannot hold.
base::Result<base::Buffer> ReadElements(std::span<const Reader> parts, uint32_t number, tensor::DataType type,
                                        const Extent& extent);

}  // namespace inferd::wire
