#include "ctl/npy.h"

#include <charconv>
#include <cstring>
#include <string>

#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"

namespace inferd::ctl {

namespace {

using base::InvalidArgument;
using base::Result;
using base::Status;
using tensor::DataType;

constexpr std::string_view kMagic("\x93NUMPY", 6);

// Returns the text after "'key': " in the header, a Python literal whose layout numpy.save defines.
std::string_view ValueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) return {};
  std::string_view value = header.substr(at + key.size() + 3);
  while (value.starts_with(' ')) value.remove_prefix(1);
  return value;
}

Result<tensor::Shape> ParseShape(std::string_view text) {
  tensor::Shape shape;
  if (!text.starts_with('(')) return std::unexpected(InvalidArgument("the .npy header has no shape"));
  const char* p = text.data() + 1;
  const char* const end = text.data() + text.size();
  while (p < end && *p != ')') {
    if (*p == ' ' || *p == ',') {
      ++p;
      continue;
    }
    int64_t dim = 0;
    const auto [next, error] = std::from_chars(p, end, dim);
    if (error != std::errc() || dim < 0 || shape.rank() >= tensor::kRankMax) {
      return std::unexpected(InvalidArgument("the .npy header's shape is malformed"));
    }
    shape.Append(dim);
    p = next;
  }
  return shape;
}

DataType NumberType(std::string_view code) {
  static constexpr std::pair<std::string_view, DataType> kTypes[] = {
      {"b1", DataType::kBool},   {"i1", DataType::kInt8},  {"i2", DataType::kInt16},  {"i4", DataType::kInt32},
      {"i8", DataType::kInt64},  {"u1", DataType::kUint8}, {"u2", DataType::kUint16}, {"u4", DataType::kUint32},
      {"u8", DataType::kUint64}, {"f2", DataType::kFp16},  {"f4", DataType::kFp32},   {"f8", DataType::kFp64}};
  for (const auto& [name, type] : kTypes) {
    if (name == code) return type;
  }
  return DataType::kInvalid;
}

void AppendUtf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3f)),
            static_cast<char>(0x80 | (c & 0x3f))};
  } else {
    out += {static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3f)),
            static_cast<char>(0x80 | (c >> 6 & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
  }
}

// Converts elements of `width` bytes with zero padding. "S" holds bytes, "U" holds UTF-32.
Result<base::Buffer> PackStrings(std::string_view data, size_t count, size_t width, bool unicode) {
  tensor::BytesPacker packer(data.size() + count * tensor::kLengthSize);
  for (size_t i = 0; i < count; ++i) {
    std::string_view element = data.substr(i * width, width);
    std::string text;
    if (unicode) {
      for (; element.size() >= 4; element.remove_prefix(4)) {
        uint32_t c = 0;
        std::memcpy(&c, element.data(), 4);
        if (c != 0) AppendUtf8(text, c);
      }
    } else {
      text = element;
      text.erase(text.find_last_not_of('\0') + 1);
    }
    INFERD_RETURN_IF_ERROR(packer.Append(text));
  }
  return packer.Take();
}

}  // namespace

Result<NpyArray> ParseNpy(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() < 12 || !bytes.starts_with(kMagic)) return std::unexpected(InvalidArgument("not a .npy file"));
  const bool long_header = byte(6) >= 2;
  const size_t header_at = long_header ? 12 : 10;
  const size_t header_size = byte(8) | byte(9) << 8 | (long_header ? byte(10) << 16 | byte(11) << 24 : 0);
  if (bytes.size() - header_at < header_size) return std::unexpected(InvalidArgument("the .npy file is cut short"));
  const std::string_view header = bytes.substr(header_at, header_size);
  std::string_view data = bytes.substr(header_at + header_size);

  if (!ValueOf(header, "fortran_order").starts_with("False")) {
    return std::unexpected(InvalidArgument("the .npy array is in Fortran order; save numpy.ascontiguousarray of it"));
  }
  const std::string_view quoted = ValueOf(header, "descr");
  const std::string_view code = quoted.substr(quoted.empty() ? 0 : 1, quoted.find('\'', 1) - 1);
  if (!quoted.starts_with('\'') || code.size() < 3 || code[0] == '>') {
    return std::unexpected(InvalidArgument("the .npy array's type is not one that can be sent"));
  }
  NpyArray array;
  INFERD_ASSIGN_OR_RETURN(array.shape, ParseShape(ValueOf(header, "shape")));
  INFERD_ASSIGN_OR_RETURN(const size_t count, tensor::ElementCount(array.shape));
  size_t width = 0;
  array.datatype = NumberType(code.substr(1));
  const bool text = code[1] == 'S' || code[1] == 'U';
  if (text) {
    array.datatype = DataType::kBytes;
    std::from_chars(code.data() + 2, code.data() + code.size(), width);
    if (code[1] == 'U') width *= 4;
  } else {
    width = tensor::ElementSize(array.datatype);
  }
  if (array.datatype == DataType::kInvalid) {
    return std::unexpected(
        InvalidArgument("the .npy array's type '" + std::string(code) + "' is not one that can be sent"));
  }
  if (width != 0 && count > data.size() / width) return std::unexpected(InvalidArgument("the .npy file is cut short"));
  if (data.size() != count * width) return std::unexpected(InvalidArgument("bytes follow the .npy array"));
  if (!text) {
    array.data = base::BufferSlice(base::Buffer::CopyOf(data));
    return array;
  }
  INFERD_ASSIGN_OR_RETURN(base::Buffer packed, PackStrings(data, count, width, code[1] == 'U'));
  array.data = base::BufferSlice(std::move(packed));
  return array;
}

}  // namespace inferd::ctl
