#include "kserve/agent/batcher/tensor_body.h"

#include <limits>
#include <optional>
#include <utility>

#include "data/json/read.h"
#include "data/json/writer.h"

namespace inferd::agent {

namespace {

using json::Reader;

constexpr json::ReaderOptions kTensorsLenient = {.nonfinite_tokens = true, .short_infinity = true};
constexpr size_t kDimensionsMax = 64;

// A tensor in JSON. Its views refer to the text.
struct JsonTensor {
  std::string rest;  // other members, as text: "\"name\":\"x\",\"datatype\":\"FP32\""
  std::vector<uint64_t> shape;
  std::string_view data;  // a list
  bool has_shape = false;
};

void AppendMember(std::string_view key, std::string_view value, std::string& text) {
  json::Writer name(key.size() + 2);
  name.String(key);
  text.append(text.empty() ? "" : ",").append(name.TakeString()).append(":").append(value);
}

base::Status ReadRest(Reader& reader, std::string_view key, std::string& rest) {
  const std::string name(key);  // the next call invalidates the key's text
  INFERD_ASSIGN_OR_RETURN(const std::string_view value, reader.ReadRaw());
  AppendMember(name, value, rest);
  return {};
}

base::Status ReadShape(Reader& reader, JsonTensor& tensor) {
  tensor.has_shape = true;
  return json::ReadArray(reader, [&]() -> base::Status {
    INFERD_ASSIGN_OR_RETURN(const uint64_t size, reader.ReadUint64());
    if (tensor.shape.size() == kDimensionsMax) return reader.Error("too many dimensions");
    tensor.shape.push_back(size);
    return {};
  });
}

// Reads a tensor. Sets `parameters` if the tensor has parameters.
base::Result<JsonTensor> ReadTensor(Reader& reader, bool& parameters) {
  JsonTensor tensor;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "shape") return ReadShape(reader, tensor);
    if (key == "parameters") parameters = true;
    if (key != "data") return ReadRest(reader, key, tensor.rest);
    INFERD_ASSIGN_OR_RETURN(tensor.data, reader.ReadRaw());
    return {};
  }));
  return tensor;
}

// Returns the text between a list's brackets.
std::string_view Inside(std::string_view list) { return list.substr(1, list.size() - 2); }

// Returns the number of elements of `data` per row: 1 for nested lists, otherwise computed from the shape. Nullopt on
// overflow.
std::optional<uint64_t> ElementsOfRow(const JsonTensor& tensor) {
  if (Inside(tensor.data).find_first_not_of(" \t\r\n") != std::string_view::npos &&
      Inside(tensor.data)[Inside(tensor.data).find_first_not_of(" \t\r\n")] == '[') {
    return 1;
  }
  uint64_t elements = 1;
  for (const uint64_t size : std::span(tensor.shape).subspan(1)) {
    if (size != 0 && elements > std::numeric_limits<uint32_t>::max() / size) return std::nullopt;
    elements *= size;
  }
  return elements;
}

// Splits the list by the number of rows of each request, into comma-separated texts. Nullopt if the number of rows is
// wrong.
std::optional<std::vector<std::string_view>> SplitRows(const JsonTensor& tensor, std::span<const size_t> counts) {
  const std::optional<uint64_t> row = ElementsOfRow(tensor);
  if (!row.has_value()) return std::nullopt;
  std::vector<std::string_view> parts;
  Reader reader(tensor.data, kTensorsLenient);
  if (!reader.BeginArray().ok()) return std::nullopt;
  for (const size_t count : counts) {
    const char* begin = nullptr;
    const char* end = nullptr;
    for (uint64_t i = 0; i < count * *row; ++i) {
      const auto more = reader.NextElement();
      if (!more.value_or(false)) return std::nullopt;
      const auto value = reader.ReadRaw();
      if (!value.has_value()) return std::nullopt;
      if (begin == nullptr) begin = value->data();
      end = value->data() + value->size();
    }
    parts.emplace_back(begin, static_cast<size_t>(end - begin));
  }
  const auto more = reader.NextElement();
  if (more.value_or(true)) return std::nullopt;
  return parts;
}

bool IsList(std::string_view text) { return text.starts_with('[') && text.ends_with(']'); }

std::string TailOf(const JsonTensor& tensor) {
  std::string tail;
  for (const uint64_t size : std::span(tensor.shape).subspan(1)) tail += "," + std::to_string(size);
  return tail;
}

base::Status Alone(std::string_view why) { return base::Unimplemented(std::string(why)); }

base::Status AddInput(const JsonTensor& input, BatchedBody& body) {
  if (!input.has_shape || input.shape.empty() || input.shape[0] == 0 || !IsList(input.data)) {
    return Alone("an input without rows");
  }
  if (body.count != 0 && input.shape[0] != body.count) return Alone("inputs of different numbers of rows");
  if (input.shape[0] > std::numeric_limits<uint32_t>::max()) return Alone("too many rows");
  body.count = input.shape[0];
  const size_t counts[] = {body.count};
  const auto rows = SplitRows(input, counts);
  if (!rows.has_value()) return Alone("an input whose data are not as its shape says");
  // The frame must differ for nested and flat lists, because they cannot be joined. A space makes the difference.
  const bool nested = rows->front().starts_with('[');
  body.frame.append(body.lists.empty() ? "" : ",").append("{");
  if (!input.rest.empty()) body.frame.append(input.rest).append(",");
  body.frame.append("\"shape\":[").append(1, kRowCount).append(TailOf(input)).append("],\"data\":");
  body.frame.append(nested ? " [" : "[").append(1, kRows).append("]}");
  body.lists.push_back(rows->front());
  return {};
}

}  // namespace

base::Result<BatchedBody> ParseTensorBody(std::string_view json) {
  BatchedBody body;
  body.frame = "{\"inputs\":[";
  std::string rest;
  bool parameters = false;
  base::Status unfit;
  Reader reader(json, kTensorsLenient);
  base::Status read = json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "parameters") parameters = true;
    if (key == "id") return ReadRest(reader, key, body.own);
    if (key == "inputs") {
      return json::ReadArray(reader, [&]() -> base::Status {
        INFERD_ASSIGN_OR_RETURN(const JsonTensor input, ReadTensor(reader, parameters));
        if (unfit.ok()) unfit = AddInput(input, body);
        return {};
      });
    }
    return ReadRest(reader, key, rest);
  });
  if (read.ok()) read = reader.Finish();
  if (!read.ok()) return std::unexpected(Alone("no JSON of tensors"));
  INFERD_RETURN_IF_ERROR(unfit);
  // Parameters of the request, its inputs or outputs may be an ID of a sequence, a timeout, or binary data.
  if (parameters || rest.find("\"parameters\"") != std::string::npos) return std::unexpected(Alone("parameters"));
  if (body.lists.empty()) return std::unexpected(Alone("no inputs"));
  body.frame += "]";
  if (!rest.empty()) body.frame += "," + rest;
  body.frame += "}";
  return body;
}

base::Result<std::vector<std::string>> SplitTensorAnswer(std::string_view json,
                                                         std::span<const BatchedRequest> requests) {
  std::string rest;
  std::vector<JsonTensor> outputs;
  bool has_outputs = false;
  bool ignored = false;
  Reader reader(json, kTensorsLenient);
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "id") return reader.SkipValue();
    if (key != "outputs") return ReadRest(reader, key, rest);
    has_outputs = true;
    return json::ReadArray(reader, [&]() -> base::Status {
      INFERD_ASSIGN_OR_RETURN(JsonTensor output, ReadTensor(reader, ignored));
      outputs.push_back(std::move(output));
      return {};
    });
  }));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  if (!has_outputs) return std::unexpected(base::InvalidArgument("the answer has no outputs"));
  std::vector<size_t> counts;
  size_t total = 0;
  for (const BatchedRequest& request : requests) {
    counts.push_back(request.count);
    total += request.count;
  }
  std::vector<std::string> answers(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    std::string& text = answers[i].append("{");
    if (!rest.empty()) text.append(rest).append(",");
    if (!requests[i].own.empty()) text.append(requests[i].own).append(",");
    text.append("\"outputs\":[");
  }
  for (const JsonTensor& output : outputs) {
    const bool fits = output.has_shape && !output.shape.empty() && output.shape[0] == total && IsList(output.data);
    const auto parts = fits ? SplitRows(output, counts) : std::nullopt;
    if (!parts.has_value()) {
      return std::unexpected(base::InvalidArgument("an output has not as many rows as the requests together"));
    }
    const bool first = &output == &outputs.front();
    for (size_t i = 0; i < requests.size(); ++i) {
      std::string& text = answers[i].append(first ? "{" : ",{");
      if (!output.rest.empty()) text.append(output.rest).append(",");
      text.append("\"shape\":[").append(std::to_string(counts[i])).append(TailOf(output));
      text.append("],\"data\":[").append((*parts)[i]).append("]}");
    }
  }
  for (std::string& text : answers) text += "]}";
  return answers;
}

}  // namespace inferd::agent
