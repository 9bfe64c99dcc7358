// Compares the pull reader with a strict DOM (Boost.JSON). Both must accept the same texts, apart from our own rules
// (repeated keys, limits), and must find the same values.

#include <boost/json/src.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/json/reader.h"
#include "data/json/writer.h"
#include "fuzz/dom.h"
#include "fuzz/require.h"

namespace inferd::fuzz {
namespace {

namespace dom = boost::json;

base::Result<dom::value> ReadValue(json::Reader& reader);

base::Result<dom::value> ReadObject(json::Reader& reader) {
  dom::object object;
  INFERD_RETURN_IF_ERROR(reader.BeginObject());
  while (true) {
    INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader.NextKey());
    if (!key) return object;
    INFERD_ASSIGN_OR_RETURN(dom::value value, ReadValue(reader));
    object[*key] = std::move(value);
  }
}

base::Result<dom::value> ReadArray(json::Reader& reader) {
  dom::array array;
  INFERD_RETURN_IF_ERROR(reader.BeginArray());
  while (true) {
    INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
    if (!more) return array;
    INFERD_ASSIGN_OR_RETURN(dom::value value, ReadValue(reader));
    array.push_back(std::move(value));
  }
}

base::Result<dom::value> ReadValue(json::Reader& reader) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  switch (type) {
    case json::ValueType::kObject: return ReadObject(reader);
    case json::ValueType::kArray: return ReadArray(reader);
    case json::ValueType::kString: {
      INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
      return dom::value(text);
    }
    case json::ValueType::kNumber: {
      INFERD_ASSIGN_OR_RETURN(const json::Number number, reader.ReadNumber());
      return std::visit([](auto value) { return dom::value(value); }, number);
    }
    case json::ValueType::kBool: {
      INFERD_ASSIGN_OR_RETURN(const bool value, reader.ReadBool());
      return dom::value(value);
    }
    case json::ValueType::kNull: {
      INFERD_RETURN_IF_ERROR(reader.ReadNull());
      return dom::value(nullptr);
    }
  }
  Fail("unknown type");
}

// Boost.JSON rounds some doubles by a unit or two.
bool Close(double a, double b) { return a == b || std::abs(a - b) <= 1e-14 * std::abs(a) || std::abs(a) < 1e-290; }

bool Same(const dom::value& a, const dom::value& b) {
  if (a.is_number() && b.is_number()) {
    if (!a.is_double() && !b.is_double()) return a == b;
    return Close(a.to_number<double>(), b.to_number<double>());
  }
  if (a.kind() != b.kind()) return false;
  if (a.is_array()) return std::ranges::equal(a.get_array(), b.get_array(), Same);
  if (!a.is_object()) return a == b;
  return std::ranges::equal(a.get_object(), b.get_object(), [](const auto& x, const auto& y) {
    return x.key() == y.key() && Same(x.value(), y.value());
  });
}

// Returns true if our reader refused the text by a rule that the DOM does not have.
bool OwnRule(const std::string& message) {
  for (const char* rule : {"repeated key", "nested deeper", "members", "too large for a double"}) {
    if (message.find(rule) != std::string::npos) return true;
  }
  return false;
}

void CheckStrict(std::string_view text) {
  json::Reader skipping(text);
  base::Status skipped = skipping.SkipValue();
  if (skipped.ok()) skipped = skipping.Finish();

  json::Reader reader(text);
  base::Result<dom::value> value = ReadValue(reader);
  base::Status read = value.has_value() ? reader.Finish() : value.error();
  const bool too_large = read.message().find("too large for a double") != std::string::npos;
  Require(read.ok() == skipped.ok() || too_large, "skipping and reading differ: " + read.ToString());

  boost::system::error_code fault;
  const dom::value expected = ParseDom(text, 1000, fault);
  if (fault) {
    Require(!read.ok() || fault == dom::error::exponent_overflow, "accepted what a strict parser refuses");
    return;
  }
  if (!read.ok()) {
    Require(OwnRule(read.message()), "refused what a strict parser accepts: " + read.message());
    return;
  }
  Require(Same(*value, expected), "the values differ");
}

// Accepts NaN and the infinities, so checks only the walk itself: it must end, and skipping a value must consume the
// same bytes as reading it.
void CheckTokens(std::string_view text) {
  json::Reader raw(text, {.nonfinite_tokens = true});
  const auto span = raw.ReadRaw();
  if (!span.has_value()) return;
  json::Reader again(*span, {.nonfinite_tokens = true});
  Require(again.SkipValue().ok() && again.Finish().ok(), "a skipped value does not stand alone");
}

void CheckString(std::string_view text) {
  json::Writer writer;
  const bool utf8 = writer.StringIfUtf8(text);
  if (!utf8) writer.String(text);
  const std::string written = writer.TakeString();
  json::Reader reader(written);
  const auto back = reader.ReadString();
  Require(back.has_value() && reader.Finish().ok(), "a written string is not readable");
  Require(!utf8 || *back == text, "a written string reads back differently");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A copy of the exact size, so that reading past the end is seen.
  const std::vector<char> copy(data, data + size);
  const std::string_view text(copy.data(), copy.size());
  inferd::fuzz::CheckStrict(text);
  inferd::fuzz::CheckTokens(text);
  inferd::fuzz::CheckString(text);
  return 0;
}
