#include "ctl/input_value.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

#include "base/text/nearest_name.h"
#include "ctl/generator.h"
#include "ctl/npy.h"
#include "ctl/text/file_text.h"
#include "data/json/reader.h"
#include "data/tensor/raw.h"
#include "data/tensorjson/parse.h"

namespace inferd::ctl {

namespace {

using base::InvalidArgument;
using base::Result;
using base::Status;
using tensor::Shape;

// The distance between the seeds of a model's inputs. It is large, so that adjacent values of `--seed` give other data.
constexpr uint32_t kSeedStep = 0x9e3779b9;

// Parses "NAME=VALUE" texts. A name cannot contain '='.
Result<std::map<std::string, std::string>> ByName(const std::vector<std::string>& texts, const char* option) {
  std::map<std::string, std::string> by_name;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return std::unexpected(InvalidArgument(std::string(option) + " '" + text + "': expected NAME=VALUE"));
    }
    if (!by_name.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      return std::unexpected(InvalidArgument("input '" + text.substr(0, equals) + "' is given twice"));
    }
  }
  return by_name;
}

Result<Shape> ParseShapeText(std::string_view text) {
  Shape shape;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end) {
    int64_t dim = 0;
    const auto [next, error] = std::from_chars(p, end, dim);
    if (error != std::errc() || dim < 0 || (next < end && *next != ',' && *next != 'x') ||
        shape.rank() == tensor::kRankMax) {
      return std::unexpected(
          InvalidArgument("shape '" + std::string(text) + "': expected dimensions as in 1,3,224,224"));
    }
    shape.Append(dim);
    p = next < end ? next + 1 : next;
  }
  return shape;
}

// Adapts the first variable dimension so that the shape has `count` elements, if possible. The other ones become 1.
Shape ShapeForCount(const Shape& signature, size_t count) {
  Shape shape = signature;
  int64_t* open = nullptr;
  int64_t known = 1;
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] >= 0) {
      known *= shape[i];
    } else if (open == nullptr) {
      open = &shape[i];
    } else {
      shape[i] = 1;
    }
  }
  if (open != nullptr) *open = known > 0 ? static_cast<int64_t>(count) / known : 0;
  return shape;
}

// Returns the lengths along the first elements of a nested JSON array: "[[1,2],[3,4]]" gives [2,2].
Result<Shape> NestedShape(std::string_view json) {
  Shape shape;
  std::string_view level = json;
  while (level.starts_with('[') && shape.rank() < tensor::kRankMax) {
    json::Reader reader(level, {.nonfinite_tokens = true});
    INFERD_RETURN_IF_ERROR(reader.BeginArray());
    int64_t count = 0;
    std::string_view first;
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
      if (!more) break;
      INFERD_ASSIGN_OR_RETURN(const std::string_view raw, reader.ReadRaw());
      if (count++ == 0) first = raw;
    }
    shape.Append(count);
    level = first;
  }
  return shape;
}

Result<NamedTensor> FromJson(const TensorSignature& input, const std::optional<Shape>& wanted, std::string_view json) {
  json = json.substr(std::min(json.find_first_not_of(" \t\r\n"), json.size()));
  while (!json.empty() && static_cast<unsigned char>(json.back()) <= ' ') json.remove_suffix(1);
  const std::string boxed = json.starts_with('[') ? std::string(json) : "[" + std::string(json) + "]";
  NamedTensor tensor{.name = input.name, .datatype = input.datatype, .shape = {}, .data = {}};
  INFERD_ASSIGN_OR_RETURN(const Shape nested, NestedShape(boxed));
  if (wanted.has_value()) {
    tensor.shape = *wanted;
  } else if (nested.rank() > 1) {
    tensor.shape = nested;
  } else {
    tensor.shape = ShapeForCount(input.shape, static_cast<size_t>(nested[0]));
  }
  INFERD_ASSIGN_OR_RETURN(base::Buffer data, tensorjson::ParseData(boxed, input.datatype, tensor.shape));
  tensor.data = base::BufferSlice(std::move(data));
  return tensor;
}

Result<NamedTensor> FromNpy(const TensorSignature& input, std::string_view bytes) {
  INFERD_ASSIGN_OR_RETURN(NpyArray array, ParseNpy(bytes));
  if (array.datatype != input.datatype) {
    return std::unexpected(InvalidArgument("the array is " + std::string(tensor::DataTypeName(array.datatype)) +
                                           ", the model wants " + std::string(tensor::DataTypeName(input.datatype))));
  }
  return NamedTensor{
      .name = input.name, .datatype = array.datatype, .shape = array.shape, .data = std::move(array.data)};
}

Result<NamedTensor> FromRaw(const TensorSignature& input, const std::optional<Shape>& wanted, std::string_view bytes) {
  NamedTensor tensor{.name = input.name, .datatype = input.datatype, .shape = {}, .data = {}};
  const size_t element = tensor::ElementSize(input.datatype);
  tensor.shape = wanted.value_or(ShapeForCount(input.shape, element == 0 ? 1 : bytes.size() / element));
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(bytes));
  INFERD_RETURN_IF_ERROR(tensor::CheckRaw(tensor.datatype, tensor.shape, tensor.data.bytes()));
  return tensor;
}

Result<NamedTensor> FromGenerator(const TensorSignature& input, const std::optional<Shape>& wanted, Generator generator,
                                  uint32_t seed) {
  NamedTensor tensor{.name = input.name, .datatype = input.datatype, .shape = input.shape, .data = {}};
  if (wanted.has_value()) tensor.shape = *wanted;
  for (size_t i = 0; i < tensor.shape.rank(); ++i) {
    if (tensor.shape[i] < 0) tensor.shape[i] = 1;
  }
  INFERD_ASSIGN_OR_RETURN(tensor.data, Generate(generator, tensor.datatype, tensor.shape, seed));
  return tensor;
}

Result<NamedTensor> MakeInput(const TensorSignature& input, const std::optional<Shape>& wanted,
                              const std::string& value, uint32_t seed) {
  if (const auto generator = ParseGenerator(value)) return FromGenerator(input, wanted, *generator, seed);
  if (!value.starts_with('@')) return FromJson(input, wanted, value);
  const std::string path = value.substr(1);
  INFERD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".npy") return FromNpy(input, bytes);
  if (extension == ".json") return FromJson(input, wanted, bytes);
  return FromRaw(input, wanted, bytes);
}

std::string Describe(const TensorSignature& input) {
  return "'" + input.name + "' (" + std::string(tensor::DataTypeName(input.datatype)) + " " + input.shape.ToString() +
         ")";
}

// Checks that the model has an input of each name. INVALID_ARGUMENT otherwise.
Status CheckNames(const ModelSignature& model, const std::map<std::string, std::string>& by_name) {
  std::vector<std::string> names;
  std::string described;
  for (const TensorSignature& input : model.inputs) {
    names.push_back(input.name);
    described += (described.empty() ? "" : ", ") + Describe(input);
  }
  for (const auto& [name, value] : by_name) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return InvalidArgument("model '" + model.name + "' has no input '" + name + "'; it has " + described +
                           base::SuggestName(name, names));
  }
  return base::OkStatus();
}

}  // namespace

Result<std::vector<NamedTensor>> MakeInputs(const ModelSignature& model, const InputTexts& texts) {
  INFERD_ASSIGN_OR_RETURN(auto values, ByName(texts.values, "--input"));
  INFERD_ASSIGN_OR_RETURN(auto shapes, ByName(texts.shapes, "--shape"));
  // Checked before missing inputs: a missing one may have been given under a misspelled name.
  for (const auto* given : {&values, &shapes}) INFERD_RETURN_IF_ERROR(CheckNames(model, *given));
  std::vector<NamedTensor> tensors;
  for (const TensorSignature& input : model.inputs) {
    std::optional<Shape> wanted;
    if (const auto shape = shapes.extract(input.name)) {
      INFERD_ASSIGN_OR_RETURN(wanted, ParseShapeText(shape.mapped()));
    }
    const auto given = values.extract(input.name);
    if (!given && texts.fill.empty()) {
      return std::unexpected(InvalidArgument("input " + Describe(input) + " has no value; give --input " + input.name +
                                             "=VALUE, or --fill random for all that are left"));
    }
    const uint32_t seed = texts.seed + static_cast<uint32_t>(tensors.size()) * kSeedStep;
    auto tensor = MakeInput(input, wanted, given ? given.mapped() : texts.fill, seed);
    if (!tensor.has_value()) return std::unexpected(tensor.error().WithContext("input " + Describe(input)));
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

}  // namespace inferd::ctl
