#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "engines/forest/readers/document.h"

// UBJSON (draft 12) as XGBoost writes it: big-endian numbers, and arrays that may state their type and count first.
// XGBoost never writes objects that state them; they are refused.

namespace inferd::forest {

namespace {

template <typename Integer>
double FromBigEndian(const char* bytes) {
  Integer value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  if constexpr (sizeof(value) > 1) {
    static_assert(std::endian::native == std::endian::little);
    if constexpr (sizeof(value) == 2) value = static_cast<Integer>(__builtin_bswap16(static_cast<uint16_t>(value)));
    if constexpr (sizeof(value) == 4) value = static_cast<Integer>(__builtin_bswap32(static_cast<uint32_t>(value)));
    if constexpr (sizeof(value) == 8) value = static_cast<Integer>(__builtin_bswap64(static_cast<uint64_t>(value)));
  }
  return static_cast<double>(value);
}

template <typename Float, typename Integer>
double FloatFromBigEndian(const char* bytes) {
  Integer value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  if constexpr (sizeof(value) == 4) return std::bit_cast<Float>(__builtin_bswap32(value));
  if constexpr (sizeof(value) == 8) return std::bit_cast<Float>(__builtin_bswap64(value));
}

struct NumberType {
  size_t size;
  double (*read)(const char* bytes);
};

std::optional<NumberType> FindNumberType(char marker) {
  switch (marker) {
    case 'i': return NumberType{1, FromBigEndian<int8_t>};
    case 'U': return NumberType{1, FromBigEndian<uint8_t>};
    case 'I': return NumberType{2, FromBigEndian<int16_t>};
    case 'l': return NumberType{4, FromBigEndian<int32_t>};
    case 'L': return NumberType{8, FromBigEndian<int64_t>};
    case 'd': return NumberType{4, FloatFromBigEndian<float, uint32_t>};
    case 'D': return NumberType{8, FloatFromBigEndian<double, uint64_t>};
    default: return std::nullopt;
  }
}

class UbjsonReader final {
 public:
  UbjsonReader(std::string_view bytes, size_t elements_max) : bytes_(bytes), elements_left_(elements_max) {}

  base::Result<Document> ReadAll() {
    INFERD_ASSIGN_OR_RETURN(const char marker, TakeMarker());
    INFERD_ASSIGN_OR_RETURN(Document document, ReadValue(marker, 0));
    if (at_ != bytes_.size()) return std::unexpected(Error("something follows the document"));
    return document;
  }

 private:
  base::Status Error(const std::string& what) const {
    return base::InvalidArgument("UBJSON at byte " + std::to_string(at_) + ": " + what);
  }

  base::Result<std::string_view> Take(size_t size) {
    if (size > bytes_.size() - at_) return std::unexpected(Error("it ends too early"));
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  // Returns the next byte that is not a no-op.
  base::Result<char> TakeMarker() {
    while (true) {
      INFERD_ASSIGN_OR_RETURN(const std::string_view marker, Take(1));
      if (marker[0] != 'N') return marker[0];
    }
  }

  bool SkipIf(char marker) {
    if (at_ == bytes_.size() || bytes_[at_] != marker) return false;
    ++at_;
    return true;
  }

  base::Result<double> ReadNumber(NumberType type) {
    INFERD_ASSIGN_OR_RETURN(const std::string_view bytes, Take(type.size));
    return type.read(bytes.data());
  }

  // Reads a count or length: an integer with its marker. It must not exceed the rest of the file.
  base::Result<size_t> ReadSize(size_t element_size) {
    INFERD_ASSIGN_OR_RETURN(const char marker, TakeMarker());
    const std::optional<NumberType> type = FindNumberType(marker);
    if (!type.has_value() || marker == 'd' || marker == 'D') return std::unexpected(Error("a length is no integer"));
    INFERD_ASSIGN_OR_RETURN(const double size, ReadNumber(*type));
    if (size < 0 || size > static_cast<double>((bytes_.size() - at_) / element_size)) {
      return std::unexpected(Error("a length is more than the file has"));
    }
    return static_cast<size_t>(size);
  }

  base::Result<std::string> ReadText() {
    INFERD_ASSIGN_OR_RETURN(const size_t size, ReadSize(1));
    INFERD_ASSIGN_OR_RETURN(const std::string_view text, Take(size));
    return std::string(text);
  }

  base::Result<Document> ReadValue(char marker, size_t depth) {
    if (depth > kDocumentDepthMax) return std::unexpected(Error("it is too deep"));
    if (const auto type = FindNumberType(marker); type.has_value()) {
      INFERD_ASSIGN_OR_RETURN(const double number, ReadNumber(*type));
      return Document(number);
    }
    switch (marker) {
      case 'Z': return Document();
      case 'T': return Document(1.0);
      case 'F': return Document(0.0);
      case 'S': {
        INFERD_ASSIGN_OR_RETURN(std::string text, ReadText());
        return Document(std::move(text));
      }
      case '[': return ReadArray(depth);
      case '{': return ReadObject(depth);
      default: return std::unexpected(Error("no value begins with byte " + std::to_string(marker & 0xFF)));
    }
  }

  base::Result<Document> ReadObject(size_t depth) {
    Document::Members members;
    while (!SkipIf('}')) {
      INFERD_ASSIGN_OR_RETURN(std::string key, ReadText());
      INFERD_ASSIGN_OR_RETURN(const char marker, TakeMarker());
      auto& member = members.emplace_back(std::move(key), Document());
      INFERD_ASSIGN_OR_RETURN(member.second, ReadValue(marker, depth + 1));
    }
    INFERD_RETURN_IF_ERROR(CheckKeys(members));
    return Document(std::move(members));
  }

  // Checks that no key is repeated. By sorting, since a file may have millions of keys.
  base::Status CheckKeys(const Document::Members& members) const {
    std::vector<std::string_view> keys;
    keys.reserve(members.size());
    for (const auto& [key, value] : members) keys.push_back(key);
    std::ranges::sort(keys);
    const auto twice = std::ranges::adjacent_find(keys);
    return twice == keys.end() ? base::OkStatus() : Error("member '" + std::string(*twice) + "' is there twice");
  }

  base::Result<Document> ReadArray(size_t depth) {
    if (SkipIf('$')) return ReadTypedArray();
    if (SkipIf('#')) {
      INFERD_ASSIGN_OR_RETURN(const size_t count, ReadSize(1));
      return ReadElements(depth, count);
    }
    return ReadElements(depth, std::nullopt);
  }

  base::Result<Document> ReadTypedArray() {
    INFERD_ASSIGN_OR_RETURN(const std::string_view marker, Take(1));
    const std::optional<NumberType> type = FindNumberType(marker[0]);
    if (!type.has_value() || !SkipIf('#')) return std::unexpected(Error("an array's type is none of numbers"));
    INFERD_ASSIGN_OR_RETURN(const size_t count, ReadSize(type->size));
    INFERD_ASSIGN_OR_RETURN(const std::string_view bytes, Take(count * type->size));
    Document::Numbers numbers(count);
    for (size_t i = 0; i < count; ++i) numbers[i] = type->read(bytes.data() + i * type->size);
    return Document(std::move(numbers));
  }

  // If `count` is nullopt, reads up to the closing bracket.
  base::Result<Document> ReadElements(size_t depth, std::optional<size_t> count) {
    Document::Numbers numbers;
    Document::Elements elements;
    for (size_t i = 0; count.has_value() ? i < *count : !SkipIf(']'); ++i) {
      INFERD_ASSIGN_OR_RETURN(const char marker, TakeMarker());
      INFERD_ASSIGN_OR_RETURN(Document element, ReadValue(marker, depth + 1));
      const auto* const number = std::get_if<double>(&element.value());
      if (number != nullptr ? !elements.empty() : !numbers.empty()) {
        return std::unexpected(Error("an array has numbers beside other values"));
      }
      if (number != nullptr) {
        numbers.push_back(*number);
      } else {
        if (elements_left_ == 0) return std::unexpected(Error("its arrays have too many elements"));
        --elements_left_;
        elements.push_back(std::move(element));
      }
    }
    if (elements.empty()) return Document(std::move(numbers));
    return Document(std::move(elements));
  }

  const std::string_view bytes_;
  size_t at_ = 0;
  size_t elements_left_;  // limit for non-numeric ones
};

}  // namespace

base::Result<Document> ParseUbjson(std::string_view bytes, size_t elements_max) {
  return UbjsonReader(bytes, elements_max).ReadAll();
}

}  // namespace inferd::forest
