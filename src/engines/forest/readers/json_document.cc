#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "data/json/read.h"
#include "engines/forest/readers/document.h"

namespace inferd::forest {

namespace {

// Converts a number like XGBoost: it writes its float32 numbers with a fraction or an exponent, and they are read
// directly to the nearest float32. (Through a double, a number could be rounded twice.) Whole numbers may be larger.
// nullopt if not even a double has such a large number, or one so close to 0.
std::optional<double> ToNumber(std::string_view token) {
  if (token == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (token == "Infinity") return std::numeric_limits<double>::infinity();
  if (token == "-Infinity") return -std::numeric_limits<double>::infinity();
  double number = 0;
  const char* const end = token.data() + token.size();
  const bool whole = token.find_first_of(".eE") == std::string_view::npos;
  float narrow = 0;
  if (!whole && std::from_chars(token.data(), end, narrow).ec == std::errc()) return narrow;
  if (std::from_chars(token.data(), end, number).ec != std::errc()) return std::nullopt;
  return whole ? number : static_cast<float>(number);  // beyond float32's range: infinite, or next to 0
}

// `elements_left` is the number of elements that are still allowed.
base::Result<Document> ReadValue(json::Reader& reader, size_t& elements_left);

base::Result<double> ReadNumber(json::Reader& reader, json::ValueType type) {
  if (type == json::ValueType::kBool) {
    INFERD_ASSIGN_OR_RETURN(const bool flag, reader.ReadBool());
    return flag ? 1 : 0;
  }
  INFERD_ASSIGN_OR_RETURN(const std::string_view token, reader.ReadRaw());
  const std::optional<double> number = ToNumber(token);
  if (!number.has_value()) return std::unexpected(reader.Error("a number is out of range"));
  return *number;
}

bool IsNumber(json::ValueType type) { return type == json::ValueType::kNumber || type == json::ValueType::kBool; }

base::Result<Document> ReadElements(json::Reader& reader, size_t& elements_left) {
  Document::Numbers numbers;
  Document::Elements elements;
  INFERD_RETURN_IF_ERROR(json::ReadArray(reader, [&]() -> base::Status {
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
    if (IsNumber(type) ? !elements.empty() : !numbers.empty()) {
      return reader.Error("an array has numbers beside other values");
    }
    if (IsNumber(type)) {
      INFERD_ASSIGN_OR_RETURN(numbers.emplace_back(), ReadNumber(reader, type));
    } else {
      if (elements_left == 0) return reader.Error("its arrays have too many elements");
      --elements_left;
      INFERD_ASSIGN_OR_RETURN(elements.emplace_back(), ReadValue(reader, elements_left));
    }
    return {};
  }));
  if (elements.empty()) return Document(std::move(numbers));
  return Document(std::move(elements));
}

base::Result<Document> ReadValue(json::Reader& reader, size_t& elements_left) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  switch (type) {
    case json::ValueType::kObject: {
      Document::Members members;
      INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
        auto& member = members.emplace_back(std::string(key), Document());
        INFERD_ASSIGN_OR_RETURN(member.second, ReadValue(reader, elements_left));
        return {};
      }));
      return Document(std::move(members));
    }
    case json::ValueType::kArray: return ReadElements(reader, elements_left);
    case json::ValueType::kString: {
      INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
      return Document(std::string(text));
    }
    case json::ValueType::kNull: {
      INFERD_RETURN_IF_ERROR(reader.ReadNull());
      return Document();
    }
    default: {
      INFERD_ASSIGN_OR_RETURN(const double number, ReadNumber(reader, type));
      return Document(number);
    }
  }
}

}  // namespace

base::Result<Document> ParseJson(std::string_view text, size_t elements_max) {
  json::Reader reader(text, {.depth_max = kDocumentDepthMax, .nonfinite_tokens = true});
  INFERD_ASSIGN_OR_RETURN(Document document, ReadValue(reader, elements_max));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  return document;
}

}  // namespace inferd::forest
