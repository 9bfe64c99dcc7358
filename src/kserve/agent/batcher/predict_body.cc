#include "kserve/agent/batcher/predict_body.h"

#include <optional>

#include "data/json/read.h"
#include "data/json/writer.h"

namespace inferd::agent {

namespace {

using json::Reader;

constexpr json::ReaderOptions kLenient = {.nonfinite_tokens = true, .short_infinity = true};

base::Status ReadInstances(Reader& reader, std::string_view json, PredictBody& body) {
  INFERD_RETURN_IF_ERROR(reader.BeginArray());
  const size_t begin = reader.offset();
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
    if (!more) break;
    INFERD_RETURN_IF_ERROR(reader.SkipValue());
    ++body.count;
  }
  body.instances = json.substr(begin, reader.offset() - 1 - begin);
  return {};
}

base::Status ReadOther(Reader& reader, std::string_view key, std::string& rest) {
  json::Writer name(key.size() + 2);
  name.String(key);
  INFERD_ASSIGN_OR_RETURN(const std::string_view value, reader.ReadRaw());
  rest.append(rest.empty() ? "" : ",").append(name.TakeString()).append(":").append(value);
  return {};
}

// Splits a list by the number of elements of each request. The reader must be before the list.
base::Status SplitList(Reader& reader, std::span<const size_t> counts, std::vector<std::string_view>& parts) {
  const base::Status mismatch = base::InvalidArgument("size of prediction is not equal to the size of instances");
  INFERD_RETURN_IF_ERROR(reader.BeginArray());
  for (const size_t count : counts) {
    const char* begin = nullptr;
    const char* end = nullptr;
    for (size_t i = 0; i < count; ++i) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
      if (!more) return mismatch;
      INFERD_ASSIGN_OR_RETURN(const std::string_view value, reader.ReadRaw());
      if (begin == nullptr) begin = value.data();
      end = value.data() + value.size();
    }
    parts.emplace_back(begin, static_cast<size_t>(end - begin));
  }
  INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
  return more ? mismatch : base::OkStatus();
}

}  // namespace

base::Result<PredictBody> ParsePredictBody(std::string_view json) {
  PredictBody body;
  Reader reader(json, kLenient);
  base::Status read = json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    return key == "instances" ? ReadInstances(reader, json, body) : ReadOther(reader, key, body.rest);
  });
  if (read.ok()) read = reader.Finish();
  if (!read.ok()) return std::unexpected(read.WithContext("can't Unmarshal body"));
  if (body.count == 0) return std::unexpected(base::InvalidArgument("no instances in the request"));
  return body;
}

base::Result<std::vector<std::string_view>> SplitPredictions(std::string_view json, std::span<const size_t> counts) {
  std::optional<std::vector<std::string_view>> parts;
  Reader reader(json, kLenient);
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    return key == "predictions" ? SplitList(reader, counts, parts.emplace()) : reader.SkipValue();
  }));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  if (parts.has_value()) return *std::move(parts);
  return std::unexpected(base::InvalidArgument("size of prediction is not equal to the size of instances"));
}

}  // namespace inferd::agent
