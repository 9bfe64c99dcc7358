#include "engines/python/native/element.h"

#include <array>
#include <string_view>

#include "inferd/engine_abi.h"

namespace inferd::python {

namespace {

struct Element {
  int32_t datatype;
  std::string_view formats;  // of Python's module `struct`; the size distinguishes those of one kind
  size_t size;
};

constexpr std::string_view kSigned = "bhilq";
constexpr std::string_view kUnsigned = "BHILQ";
constexpr std::array kElements = {
    Element{INFERD_TYPE_BOOL, "?", 1},         Element{INFERD_TYPE_UINT8, kUnsigned, 1},
    Element{INFERD_TYPE_UINT16, kUnsigned, 2}, Element{INFERD_TYPE_UINT32, kUnsigned, 4},
    Element{INFERD_TYPE_UINT64, kUnsigned, 8}, Element{INFERD_TYPE_INT8, kSigned, 1},
    Element{INFERD_TYPE_INT16, kSigned, 2},    Element{INFERD_TYPE_INT32, kSigned, 4},
    Element{INFERD_TYPE_INT64, kSigned, 8},    Element{INFERD_TYPE_FP16, "e", 2},
    Element{INFERD_TYPE_FP32, "f", 4},         Element{INFERD_TYPE_FP64, "d", 8},
    Element{INFERD_TYPE_BF16, kUnsigned, 2},
};

}  // namespace

bool IsElement(int32_t datatype, const char* format, size_t size) {
  if (format == nullptr || format[0] == '\0' || format[1] != '\0') return false;
  for (const Element& element : kElements) {
    if (element.datatype == datatype) {
      return element.size == size && element.formats.find(format[0]) != std::string_view::npos;
    }
  }
  return false;
}

}  // namespace inferd::python
