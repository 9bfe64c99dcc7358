#include "kserve/cluster/admission/admission_review.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/base64.h"
#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "data/manifest/value_path.h"

namespace inferd::cluster {

namespace {

using manifest::Fields;
using manifest::Kind;
using manifest::Problems;
using manifest::Text;
using manifest::Value;

constexpr std::string_view kApiVersion = "admission.k8s.io/v1";
constexpr std::string_view kKind = "AdmissionReview";
constexpr std::array<std::string_view, 4> kOperations = {"CREATE", "UPDATE", "DELETE", "CONNECT"};
// In a review an object is two levels deeper than alone, and its managedFields are deeper than the fields they
// describe.
constexpr manifest::Limits kLimits = {.file_bytes_max = kReviewBytesMax, .depth_max = manifest::Limits().depth_max + 8};
constexpr size_t kUidBytesMax = 253;
constexpr size_t kDenialBytesMax = 4096;
constexpr size_t kWarningsMax = 20;
constexpr size_t kWarningBytesMax = 256;

// Cuts the text between two UTF-8 characters.
std::string Shortened(std::string text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

std::string FirstOf(const Problems& problems) {
  const manifest::Problem& first = problems.front();
  return first.path.empty() ? first.message : first.path + ": " + first.message;
}

void Require(Fields& fields, std::string_view key, const std::string& value) {
  const Value* const found = fields.Find(key);
  const bool said = found != nullptr && !found->is(Kind::kNull) && !found->is(Kind::kString);
  if (value.empty() && !said) fields.Fail(key, "is required");
}

void ReadType(Fields& review) {
  std::string api_version;
  std::string kind;
  review.Read("apiVersion", api_version);
  review.Read("kind", kind);
  if (kind != kKind) review.Fail("kind", "must be " + std::string(kKind));
  if (api_version != kApiVersion) review.Fail("apiVersion", "must be " + std::string(kApiVersion));
}

void ReadObjectOf(Fields& request, std::string_view key, bool needed, Value& target) {
  if (const auto object = request.Map(key)) {
    target = object->value();
  } else if (needed && request.Find(key) == nullptr) {
    request.Fail(key, "is required");
  }
}

AdmissionRequest ReadFields(Fields request) {
  AdmissionRequest read;
  request.Read("uid", read.uid);
  Require(request, "uid", read.uid);
  if (read.uid.size() > kUidBytesMax) {
    request.Fail("uid", "must have at most " + std::to_string(kUidBytesMax) + " bytes");
    read.uid.clear();
  }
  if (auto kind = request.Map("kind")) {
    kind->Read("group", read.group);
    kind->Read("version", read.version);
    kind->Read("kind", read.kind);
  } else if (request.Find("kind") == nullptr) {
    request.Fail("kind", "is required");
  }
  request.Read("subResource", read.subresource);
  request.Read("name", read.name);
  request.Read("namespace", read.namespace_name);
  request.Read("operation", read.operation);
  if (std::ranges::find(kOperations, read.operation) == kOperations.end()) {
    request.Fail("operation", "must be CREATE, UPDATE, DELETE or CONNECT");
  }
  ReadObjectOf(request, "object", read.operation == "CREATE" || read.operation == "UPDATE", read.object);
  ReadObjectOf(request, "oldObject", read.operation == "UPDATE", read.old_object);
  return read;
}

Value StatusOf(int code, std::string_view reason, std::string_view message) {
  Value status = Value::Map({{"status", Text("Failure")}, {"message", Text(message)}});
  if (!reason.empty()) status.Set("reason", Text(reason));
  status.Set("code", Value::Int(code));
  return status;
}

}  // namespace

bool AdmissionRequest::is_being_deleted() const {
  const Value* const deleted = manifest::FieldAt(object, {"metadata", "deletionTimestamp"});
  return deleted != nullptr && !deleted->is(Kind::kNull);
}

std::expected<AdmissionRequest, ReviewFault> ReadReview(std::string_view body) {
  const auto documents = manifest::ReadJson(body, "review", kLimits);
  if (!documents.has_value()) {
    return std::unexpected(ReviewFault{.uid = {}, .message = std::string(documents.error().message())});
  }
  if (documents->size() != 1) return std::unexpected(ReviewFault{.uid = {}, .message = "review: is not one document"});
  Problems problems;
  Fields review(documents->front(), "", problems);
  AdmissionRequest request;
  if (problems.empty()) {
    ReadType(review);
    if (auto fields = review.Map("request")) {
      request = ReadFields(*fields);
    } else if (review.Find("request") == nullptr) {
      review.Fail("request", "is required");
    }
  }
  if (!problems.empty()) return std::unexpected(ReviewFault{.uid = request.uid, .message = FirstOf(problems)});
  return request;
}

AdmissionResponse Denial(std::string uid, int code, std::string reason, std::string message) {
  return {.uid = std::move(uid),
          .allowed = false,
          .code = code,
          .reason = Shortened(std::move(reason), kDenialBytesMax),
          .message = Shortened(std::move(message), kDenialBytesMax)};
}

std::string ToJson(const AdmissionResponse& response) {
  Value said = Value::Map({{"uid", Text(response.uid)}, {"allowed", Value::Bool(response.allowed)}});
  if (!response.allowed) said.Set("status", StatusOf(response.code, response.reason, response.message));
  if (response.patch.is(Kind::kList)) {
    const std::string patch = manifest::ToJson(response.patch);
    std::string encoded(base::Base64Size(patch.size()), '\0');
    base::EncodeBase64(patch, encoded.data());
    said.Set("patchType", Text("JSONPatch"));
    said.Set("patch", Value::String(std::move(encoded)));
  }
  if (!response.warnings.empty()) {
    Value warnings = Value::List();
    for (const std::string& warning : response.warnings) {
      if (warnings.items().size() == kWarningsMax) break;
      warnings.items().push_back(Value::String(Shortened(warning, kWarningBytesMax)));
    }
    said.Set("warnings", std::move(warnings));
  }
  return manifest::ToJson(
      Value::Map({{"apiVersion", Text(kApiVersion)}, {"kind", Text(kKind)}, {"response", std::move(said)}}));
}

std::string StatusJson(int code, std::string_view reason, std::string_view message) {
  Value status = Value::Map({{"apiVersion", Text("v1")}, {"kind", Text("Status")}, {"metadata", Value::Map()}});
  const Value said = StatusOf(code, reason, Shortened(std::string(message), kDenialBytesMax));
  for (const manifest::Member& member : said.members()) status.Set(member.key, member.value);
  return manifest::ToJson(status);
}

}  // namespace inferd::cluster
