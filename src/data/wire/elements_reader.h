#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/wire/reader.h"

// Reads a tensor's elements from a repeated field directly into the tensor's bytes. Numbers are packed or single,
// narrow ones are 32-bit varints, FP16 and BF16 are varints of their bits, complex numbers are two numbers, and BYTES
// are single.

namespace inferd::wire {

// Returns the wire type of one unpacked number of a tensor of `type`.
Type ElementType(tensor::DataType type);

// Returns how many numbers a field has for each element of a tensor of `type`: two for complex numbers.
size_t NumbersPerElement(tensor::DataType type);

// The size of a field's elements, determined before memory is allocated. Complex numbers count as two.
struct Extent {
  size_t elements = 0;
  size_t bytes = 0;           // of all BYTES elements
  uint32_t wrong_number = 0;  // an unexpected field with elements, or 0
};

// Counts the elements in a packed field. `in` fails if the field ends inside an element.
size_t CountPacked(Reader& in, std::string_view packed, Type element);

// Adds up the elements of the message `in`. `element_type(number)` returns the type of the field's elements, or
// kEndGroup if it has no elements that count.
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

// Reads the elements of field `number` as a tensor of `type` (BYTES packed). `parts` are the messages on the wire that
// form one, in order: protobuf merges them. `extent` is Measure()'s result for them. INVALID_ARGUMENT if parts are
// malformed, or if the type cannot hold an element.
base::Result<base::Buffer> ReadElements(std::span<const Reader> parts, uint32_t number, tensor::DataType type,
                                        const Extent& extent);

}  // namespace inferd::wire
