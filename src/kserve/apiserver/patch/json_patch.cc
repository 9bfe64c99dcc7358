#include "kserve/apiserver/patch/json_patch.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Value;

using Tokens = std::vector<std::string>;

// Parses a JSON pointer (RFC 6901).
base::Result<Tokens> ParsePointer(std::string_view text, size_t tokens_max) {
  Tokens tokens;
  if (text.empty()) return tokens;
  const auto wrong = [text] {
    return std::unexpected(base::InvalidArgument("'" + std::string(text) + "' is no JSON pointer"));
  };
  if (!text.starts_with('/')) return wrong();
  while (!text.empty()) {
    const size_t end = std::min(text.find('/', 1), text.size());
    std::string token;
    for (size_t i = 1; i < end; ++i) {
      if (text[i] != '~') {
        token += text[i];
        continue;
      }
      if (i + 1 >= end || (text[i + 1] != '0' && text[i + 1] != '1')) return wrong();
      token += text[++i] == '0' ? '~' : '/';
    }
    tokens.push_back(std::move(token));
    if (tokens.size() > tokens_max) {
      return std::unexpected(base::InvalidArgument("a path has more than " + std::to_string(tokens_max) + " parts"));
    }
    text.remove_prefix(end);
  }
  return tokens;
}

// Returns the token as an index, up to `end`.
std::optional<size_t> IndexOf(const std::string& token, size_t end) {
  size_t index = 0;
  const auto [rest, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || rest != token.data() + token.size()) return std::nullopt;
  if ((token.size() > 1 && token.front() == '0') || index > end) return std::nullopt;
  return index;
}

Value* Child(Value& value, const std::string& token) {
  if (value.is(Kind::kMap)) return value.Find(token);
  if (!value.is(Kind::kList)) return nullptr;
  const auto index = IndexOf(token, value.items().size());
  return index.has_value() && *index < value.items().size() ? &value.items()[*index] : nullptr;
}

size_t CountValues(const Value& value) {
  size_t count = 1;
  for (const Value& item : value.items()) count += CountValues(item);
  for (const manifest::Member& member : value.members()) count += CountValues(member.value);
  return count;
}

class Patcher {
 public:
  Patcher(Value& document, const JsonPatchLimits& limits) : document_(document), limits_(limits) {}

  base::Status Apply(const Value& operation) {
    if (!operation.is(Kind::kMap)) return base::InvalidArgument("an operation of a JSON patch must be a map");
    const Value* const op = operation.Find("op");
    const Value* const path = operation.Find("path");
    if (op == nullptr || path == nullptr || !op->is(Kind::kString) || !path->is(Kind::kString)) {
      return base::InvalidArgument("an operation of a JSON patch needs 'op' and 'path'");
    }
    const std::string& name = op->text();
    INFERD_ASSIGN_OR_RETURN(const Tokens to, ParsePointer(path->text(), limits_.tokens_max));
    base::Status done;
    if (name == "remove") {
      done = Take(to).has_value() ? base::OkStatus() : NoPath(path->text());
    } else if (name == "move" || name == "copy") {
      done = MoveOrCopy(operation, to, name == "copy");
    } else if (name == "add" || name == "replace" || name == "test") {
      const Value* const value = operation.Find("value");
      if (value == nullptr) return base::InvalidArgument("the operation '" + name + "' needs a value");
      done = name == "add" ? Add(to, *value) : name == "replace" ? Replace(to, *value) : Test(to, *value);
    } else {
      return base::InvalidArgument("there is no operation '" + name + "'");
    }
    return done.WithContext(name + " operation of '" + path->text() + "'");
  }

 private:
  static base::Status NoPath(std::string_view path) {
    return base::FailedPrecondition("does not apply: doc is missing path: " + std::string(path));
  }

  Value* Find(const Tokens& tokens, size_t count) {
    Value* value = &document_;
    for (size_t i = 0; i < count && value != nullptr; ++i) value = Child(*value, tokens[i]);
    return value;
  }

  base::Status Add(const Tokens& to, Value value) {
    if (to.empty()) {
      document_ = std::move(value);
      return base::OkStatus();
    }
    Value* const parent = Find(to, to.size() - 1);
    if (parent == nullptr) return NoPath(to.back());
    if (parent->is(Kind::kMap)) {
      parent->Set(to.back(), std::move(value));
      return base::OkStatus();
    }
    if (!parent->is(Kind::kList)) return NoPath(to.back());
    auto& items = parent->items();
    const auto index = to.back() == "-" ? std::optional(items.size()) : IndexOf(to.back(), items.size());
    if (!index.has_value()) return NoPath(to.back());
    items.insert(items.begin() + static_cast<ptrdiff_t>(*index), std::move(value));
    return base::OkStatus();
  }

  base::Status Replace(const Tokens& to, const Value& value) {
    Value* const found = Find(to, to.size());
    if (found == nullptr) return NoPath(to.back());
    *found = value;
    return base::OkStatus();
  }

  base::Status Test(const Tokens& to, const Value& value) {
    const Value* const found = Find(to, to.size());
    // As in Kubernetes, a missing value equals null.
    const bool equal = found == nullptr ? value.is(Kind::kNull) : *found == value;
    return equal ? base::OkStatus() : base::FailedPrecondition("test failed");
  }

  std::optional<Value> Take(const Tokens& from) {
    if (from.empty()) return std::nullopt;
    Value* const parent = Find(from, from.size() - 1);
    Value* const found = parent == nullptr ? nullptr : Child(*parent, from.back());
    if (found == nullptr) return std::nullopt;
    Value taken = std::move(*found);
    if (parent->is(Kind::kMap)) {
      parent->Remove(from.back());
    } else {
      parent->items().erase(parent->items().begin() + (found - parent->items().data()));
    }
    return taken;
  }

  base::Status MoveOrCopy(const Value& operation, const Tokens& to, bool copy) {
    const Value* const text = operation.Find("from");
    if (text == nullptr || !text->is(Kind::kString)) return base::InvalidArgument("needs 'from'");
    INFERD_ASSIGN_OR_RETURN(const Tokens from, ParsePointer(text->text(), limits_.tokens_max));
    if (!copy) {
      // Moving a value into itself would lose it.
      if (to.size() > from.size() && std::equal(from.begin(), from.end(), to.begin())) return NoPath(text->text());
      std::optional<Value> taken = Take(from);
      return taken.has_value() ? Add(to, *std::move(taken)) : NoPath(text->text());
    }
    const Value* const found = Find(from, from.size());
    if (found == nullptr) return NoPath(text->text());
    copied_ += CountValues(*found);
    if (copied_ > limits_.copied_values_max) {
      return base::InvalidArgument("copies more than " + std::to_string(limits_.copied_values_max) + " values");
    }
    return Add(to, *found);
  }

  Value& document_;
  const JsonPatchLimits& limits_;
  size_t copied_ = 0;
};

}  // namespace

base::Result<Value> JsonPatch(Value document, const Value& patch, const JsonPatchLimits& limits) {
  if (!patch.is(Kind::kList)) return std::unexpected(base::InvalidArgument("a JSON patch must be a list"));
  if (patch.items().size() > limits.operations_max) {
    return std::unexpected(base::InvalidArgument("The allowed maximum operations in a JSON patch is " +
                                                 std::to_string(limits.operations_max) + ", got " +
                                                 std::to_string(patch.items().size())));
  }
  Patcher patcher(document, limits);
  for (const Value& operation : patch.items()) INFERD_RETURN_IF_ERROR(patcher.Apply(operation));
  return document;
}

}  // namespace inferd::apiserver
