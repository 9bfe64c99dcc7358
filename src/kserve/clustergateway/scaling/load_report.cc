#include "kserve/clustergateway/scaling/load_report.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"

namespace inferd::clustergateway {

namespace {

using manifest::Text;
using manifest::TextAt;
using manifest::Value;

constexpr double kLoadMax = 1e9;
constexpr manifest::Limits kLimits = {.file_bytes_max = 16 << 20};

Value NumberOf(double number) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed, 3);
  return Value::Number(error == std::errc() ? std::string(text.data(), end) : "0");
}

std::optional<double> Number(const Value& map, std::string_view key) {
  const std::string& text = TextAt(map, {key});
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0 && number <= kLoadMax)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

RevisionLoad& RevisionLoad::operator+=(const RevisionLoad& other) {
  concurrency += other.concurrency;
  rate += other.rate;
  waiting += other.waiting;
  return *this;
}

std::string ToJson(const LoadReport& report) {
  Value revisions = Value::List();
  for (const auto& [name, load] : report.revisions) {
    revisions.items().push_back(Value::Map({{"namespace", Text(name.namespace_name)},
                                            {"name", Text(name.name)},
                                            {"concurrency", NumberOf(load.concurrency)},
                                            {"rate", NumberOf(load.rate)},
                                            {"waiting", Value::Int(static_cast<int64_t>(load.waiting))}}));
  }
  return manifest::ToJson(Value::Map({{"gateway", Text(report.gateway)}, {"revisions", std::move(revisions)}}));
}

base::Result<LoadReport> ParseLoadReport(std::string_view json) {
  const auto documents = manifest::ReadJson(json, "load", kLimits);
  if (!documents.has_value()) return std::unexpected(documents.error());
  if (documents->size() != 1) return std::unexpected(base::InvalidArgument("load: expected one JSON object"));
  const Value& document = documents->front();
  LoadReport report{.gateway = TextAt(document, {"gateway"}), .revisions = {}};
  const Value* const revisions = document.Find("revisions");
  if (report.gateway.empty() || revisions == nullptr) {
    return std::unexpected(base::InvalidArgument("load: needs a gateway and its revisions"));
  }
  for (const Value& each : revisions->items()) {
    const auto concurrency = Number(each, "concurrency");
    const auto rate = Number(each, "rate");
    const auto waiting = Number(each, "waiting");
    if (!concurrency.has_value() || !rate.has_value() || !waiting.has_value()) continue;
    report.revisions[{TextAt(each, {"namespace"}), TextAt(each, {"name"})}] = {
        .concurrency = *concurrency, .rate = *rate, .waiting = static_cast<size_t>(*waiting)};
  }
  return report;
}

}  // namespace inferd::clustergateway
