#include "protocols/kserve_v1/codec/cloud_event.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/ascii_case.h"
#include "base/text/base64.h"
#include "base/text/printable.h"
#include "base/text/utc_time.h"
#include "base/text/uuid.h"
#include "data/json/reader.h"
#include "protocols/v1/body_members.h"

namespace inferd::kserve_v1 {

namespace {

constexpr std::string_view kStructuredType = "application/cloudevents+json";
constexpr std::string_view kPrefix = "ce-";
// A response may repeat the attributes, and each is searched linearly.
constexpr size_t kAttributesMax = 64;
constexpr std::array<std::string_view, 4> kRequired = {"specversion", "id", "source", "type"};

base::Status Bad(std::string what) { return base::InvalidArgument("Cloud Event Exceptions: " + std::move(what)); }

base::Status TooMany() { return Bad("the event has more than " + std::to_string(kAttributesMax) + " attributes"); }

bool IsStructured(const net::RequestHead& head) {
  std::string_view type = head.Find("Content-Type").value_or("");
  type = type.substr(0, type.find(';'));
  type = type.substr(0, type.find_last_not_of(" \t") + 1);
  return base::EqualWithoutCase(type, kStructuredType);
}

bool IsBinary(const net::RequestHead& head) {
  return head.Find("ce-specversion") && head.Find("ce-id") && head.Find("ce-source") && head.Find("ce-type");
}

std::string JsonText(std::string_view text) {
  json::Writer writer(text.size() + 16);
  writer.String(text);
  return writer.TakeString();
}

bool IsValue(json::ValueType type) {
  return type == json::ValueType::kString || type == json::ValueType::kNumber || type == json::ValueType::kBool;
}

}  // namespace

bool CloudEvent::IsIn(const net::RequestHead& head) { return IsStructured(head) || IsBinary(head); }

base::Result<std::unique_ptr<CloudEvent>> CloudEvent::Of(const net::RequestHead& head) {
  if (IsStructured(head)) return std::unique_ptr<CloudEvent>(new CloudEvent(Mode::kStructured));
  if (!IsBinary(head)) return nullptr;
  std::unique_ptr<CloudEvent> event(new CloudEvent(Mode::kBinary));
  for (const auto& [name, value] : head.headers) {
    if (name.size() <= kPrefix.size() || !base::EqualWithoutCase(name.substr(0, kPrefix.size()), kPrefix)) continue;
    std::string attribute(name.substr(kPrefix.size()));
    std::ranges::transform(attribute, attribute.begin(), base::LowerAscii);
    if (event->attributes_.size() == kAttributesMax) return std::unexpected(TooMany());
    if (event->Find(attribute) == nullptr) event->attributes_.push_back({std::move(attribute), std::string(value)});
  }
  INFERD_RETURN_IF_ERROR(event->Check());
  return event;
}

const std::string* CloudEvent::Find(std::string_view name) const {
  const auto found = std::ranges::find(attributes_, name, &Attribute::name);
  return found == attributes_.end() ? nullptr : &found->value;
}

void CloudEvent::Add(std::string_view name, std::string_view text) {
  attributes_.push_back({std::string(name), mode_ == Mode::kStructured ? JsonText(text) : std::string(text)});
}

base::Status CloudEvent::Check() const {
  for (const std::string_view name : kRequired) {
    const std::string* const value = Find(name);
    const bool text = value != nullptr && (mode_ == Mode::kBinary || value->starts_with('"'));
    if (!text || value->empty() || *value == "\"\"") return Bad("the event has no " + std::string(name));
  }
  std::string_view version = *Find("specversion");
  if (mode_ == Mode::kStructured) version = version.substr(1, version.size() - 2);
  if (version == "1.0" || version == "0.3") return {};
  return Bad("unknown specversion " + base::QuotedName(version));
}

base::Result<std::string_view> CloudEvent::ReadData(std::string_view body, size_t depth_max) {
  if (mode_ == Mode::kBinary) {
    if (body.empty()) return std::unexpected(Bad("the event has no data"));
    return body;
  }
  attributes_.clear();
  std::string_view data;
  const v1::BodyRules rules{.dialect = v1::Dialect::kKserve, .depth_max = depth_max};
  base::Status status = v1::WalkMembers(body, rules, [&](json::Reader& reader, std::string_view key) -> base::Status {
    const auto type = reader.Peek();
    if (!type.has_value()) return v1::ParseError(type.error());
    if (key == "data_base64") {
      if (*type != json::ValueType::kString) return Bad("data_base64 is no text");
      const auto text = reader.ReadString();
      if (!text.has_value()) return v1::ParseError(text.error());
      decoded_ = *text;
      const std::optional<size_t> size = base::DecodeBase64(decoded_, decoded_.data());
      if (!size) return Bad("data_base64 is no base64");
      decoded_.resize(*size);
      return {};
    }
    const auto raw = reader.ReadRaw();
    if (!raw.has_value()) return v1::ParseError(raw.error());
    if (key == "data") {
      if (*type != json::ValueType::kNull) data = *raw;
    } else if (IsValue(*type)) {
      if (attributes_.size() == kAttributesMax) return TooMany();
      attributes_.push_back({std::string(key), std::string(*raw)});
    }
    return {};
  });
  if (status.ok()) status = Check();
  if (!status.ok()) return std::unexpected(v1::InKserveWords(std::move(status)));
  if (data.empty()) data = decoded_;
  if (data.empty()) return std::unexpected(Bad("the event has no data"));
  return data;
}

CloudEvent CloudEvent::Answer(const config::EventOptions& options, std::string_view model, int64_t wall_ns) const {
  CloudEvent answer(mode_);
  answer.Add("specversion", "1.0");
  answer.Add("id", base::NewUuid());
  answer.Add("source", options.source.empty() ? "io.kserve.inference." + std::string(model) : options.source);
  answer.Add("type", options.type);
  answer.Add("time", base::UtcTimeText(wall_ns));
  if (!options.merge) return answer;
  for (const Attribute& attribute : attributes_) {
    const bool kept = attribute.name != "datacontenttype" && answer.Find(attribute.name) == nullptr;
    if (kept) answer.attributes_.push_back(attribute);
  }
  return answer;
}

void CloudEvent::Begin(json::Writer& json) const {
  if (mode_ == Mode::kBinary) return;
  json.BeginObject();
  for (const Attribute& attribute : attributes_) {
    json.Key(attribute.name);
    json.Raw(attribute.value);
  }
  json.Member("datacontenttype", "application/json");
  json.Key("data");
}

net::HttpResponse CloudEvent::End(json::Writer&& json) const {
  net::HttpResponse response;
  if (mode_ == Mode::kStructured) {
    json.EndObject();
    response.content_type = kStructuredType;
  } else {
    response.content_type = "application/json";
    for (const Attribute& attribute : attributes_) {
      response.headers.emplace_back(std::string(kPrefix) + attribute.name, attribute.value);
    }
  }
  response.body = json.Take();
  return response;
}

std::string_view FindEventData(std::string_view body, size_t depth_max) {
  constexpr std::array<std::string_view, 5> kOthers = {"time", "type", "source", "id", "specversion"};
  std::string_view data;
  size_t found = 0;
  const base::Status status = v1::WalkMembers(body, {.dialect = v1::Dialect::kKserve, .depth_max = depth_max},
                                              [&](json::Reader& reader, std::string_view key) -> base::Status {
                                                if (std::ranges::find(kOthers, key) != kOthers.end()) ++found;
                                                if (key != "data") return v1::SkipMember(reader);
                                                INFERD_ASSIGN_OR_RETURN(data, reader.ReadRaw());
                                                return {};
                                              });
  return status.ok() && found == kOthers.size() ? data : std::string_view();
}

}  // namespace inferd::kserve_v1
