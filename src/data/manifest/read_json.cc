#include <algorithm>
#include <charconv>
#include <utility>

#include "data/json/reader.h"
#include "data/json/text.h"
#include "data/manifest/read.h"
#include "data/manifest/source_text.h"
#include "data/manifest/tree_builder.h"

namespace inferd::manifest {

namespace {

// Reads one JSON text that begins somewhere in a file.
class JsonTreeReader {
 public:
  // The builder detects excessive depth first, and names the field.
  JsonTreeReader(std::string_view text, size_t begin, const Limits& limits, TreeBuilder& builder,
                 PositionCounter& counter)
      : begin_(begin),
        reader_(text.substr(begin), {.depth_max = limits.depth_max + 1}),
        builder_(builder),
        counter_(counter) {}

  base::Status Read() {
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader_.Peek());
    const Position position = Here();
    switch (type) {
      case json::ValueType::kObject: return ReadMap(position);
      case json::ValueType::kArray: return ReadList(position);
      default: break;
    }
    INFERD_ASSIGN_OR_RETURN(Value leaf, ReadLeaf(type));
    leaf.set_position(position);
    builder_.Add(std::move(leaf));
    return Stopped();
  }

  // Returns the text after the JSON text, without leading white space.
  std::string_view Rest() { return reader_.Rest(); }

 private:
  Position Here() { return counter_.At(begin_ + reader_.offset()); }

  // Stops reading after a problem of the builder, which has its own message.
  base::Status Stopped() const { return builder_.problem().has_value() ? base::InvalidArgument("") : base::OkStatus(); }

  base::Result<Value> ReadLeaf(json::ValueType type) {
    switch (type) {
      case json::ValueType::kString: {
        INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader_.ReadString());
        return Value::String(std::string(text));
      }
      case json::ValueType::kBool: {
        INFERD_ASSIGN_OR_RETURN(const bool value, reader_.ReadBool());
        return Value::Bool(value);
      }
      case json::ValueType::kNull: {
        INFERD_RETURN_IF_ERROR(reader_.ReadNull());
        return Value();
      }
      default: {
        INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader_.ReadRaw());
        return Value::Number(std::string(text));
      }
    }
  }

  base::Status ReadMap(Position position) {
    builder_.Open(Kind::kMap, position);
    INFERD_RETURN_IF_ERROR(Stopped());
    INFERD_RETURN_IF_ERROR(reader_.BeginObject());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader_.NextKey());
      if (!key.has_value()) break;
      builder_.Key(std::string(*key), Here());
      INFERD_RETURN_IF_ERROR(Stopped());
      INFERD_RETURN_IF_ERROR(Read());
    }
    builder_.Close();
    return Stopped();
  }

  base::Status ReadList(Position position) {
    builder_.Open(Kind::kList, position);
    INFERD_RETURN_IF_ERROR(Stopped());
    INFERD_RETURN_IF_ERROR(reader_.BeginArray());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader_.NextElement());
      if (!more) break;
      INFERD_RETURN_IF_ERROR(Read());
    }
    builder_.Close();
    return Stopped();
  }

  const size_t begin_;
  json::Reader reader_;
  TreeBuilder& builder_;
  PositionCounter& counter_;
};

// Converts the reader's "JSON at byte N: what is wrong" to a problem with line and column.
Problem ProblemOf(const base::Status& error, std::string_view text, size_t begin, std::string path) {
  constexpr std::string_view kPrefix = "JSON at byte ";
  std::string_view message = error.message();
  if (!message.starts_with(kPrefix)) return {.path = std::move(path), .message = std::string(message)};
  message.remove_prefix(kPrefix.size());
  size_t offset = 0;
  const auto [end, fault] = std::from_chars(message.data(), message.data() + message.size(), offset);
  message.remove_prefix(std::min(static_cast<size_t>(end - message.data()) + 2, message.size()));
  return {
      .position = PositionCounter(text).At(begin + offset), .path = std::move(path), .message = std::string(message)};
}

}  // namespace

base::Result<std::vector<Value>> ReadJson(std::string_view text, std::string_view file, const Limits& limits) {
  if (const auto problem = CheckSourceText(text, limits)) {
    return std::unexpected(base::InvalidArgument(problem->ToString(file)));
  }
  std::vector<Value> documents;
  TreeBuilder builder(limits);
  PositionCounter counter(text);
  size_t begin = static_cast<size_t>(json::SkipSpace(text.data(), text.data() + text.size()) - text.data());
  while (begin < text.size()) {
    JsonTreeReader reader(text, begin, limits, builder, counter);
    if (const base::Status status = reader.Read(); !status.ok()) {
      const Problem problem = builder.problem().value_or(ProblemOf(status, text, begin, builder.path()));
      return std::unexpected(base::InvalidArgument(problem.ToString(file)));
    }
    if (Value document = builder.Take(); !document.is(Kind::kNull)) documents.push_back(std::move(document));
    begin = text.size() - reader.Rest().size();
  }
  return documents;
}

}  // namespace inferd::manifest
