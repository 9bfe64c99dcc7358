#include "kserve/apiserver/http/list.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text/base64.h"
#include "data/manifest/print.h"
#include "kserve/apiserver/objects/admission.h"

namespace inferd::apiserver {

namespace {

using manifest::Value;

}  // namespace

std::string Continuation::ToToken() const {
  const std::string text = revision + "\n" + namespace_name + "\n" + name;
  std::string token(base::Base64Size(text.size()), '\0');
  base::EncodeBase64(text, token.data());
  return token;
}

std::optional<Continuation> Continuation::Parse(std::string_view token) {
  std::string text(token);
  const auto size = base::DecodeBase64(token, text.data());
  if (!size.has_value()) return std::nullopt;
  text.resize(*size);
  const size_t first = text.find('\n');
  const size_t second = first == std::string::npos ? first : text.find('\n', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return Continuation{text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
}

ApiResult<ListRequest> ReadListRequest(const net::RequestHead& head, const ApiPath& path, const Query& query) {
  ListRequest list;
  list.type = path.type;
  list.namespace_name = path.namespace_name;
  auto selector = Selector::Parse(*path.type, query.Get("labelSelector"), query.Get("fieldSelector"));
  if (!selector.has_value()) return std::unexpected(selector.error());
  list.selector = *std::move(selector);
  list.form = RowFormOf(head, query);
  list.limit = query.GetNumber("limit").value_or(0);
  if (const std::string_view token = query.Get("continue"); !token.empty()) {
    list.from = Continuation::Parse(token);
    if (!list.from.has_value()) return std::unexpected(BadRequestError("continue key is not valid"));
  }
  return list;
}

ListText::ListText(const ObjectStore& store, const base::Clock& clock, ListRequest request)
    : store_(store),
      clock_(clock),
      request_(std::move(request)),
      listed_(store.List(request_.type->resource(), request_.namespace_name)) {}

bool ListText::Behind(const ObjectPtr& object) const {
  return !request_.from.has_value() || std::tie(object->key.namespace_name, object->key.name) >
                                           std::tie(request_.from->namespace_name, request_.from->name);
}

std::string ListText::Head() const {
  const ResourceType& type = *request_.type;
  if (!request_.form.table) {
    return R"({"kind":")" + std::string(type.kind) + R"(List","apiVersion":")" + type.api_version() + R"(","items":[)";
  }
  const Value none = TableOf(type, {}, request_.form.with, 0);
  return R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":)" +
         manifest::ToJson(*none.Find("columnDefinitions")) + R"(,"rows":[)";
}

std::string ListText::Tail(bool more) const {
  const std::string revision = request_.from.has_value() ? request_.from->revision : std::to_string(listed_.revision);
  Value metadata = Value::Map({{"resourceVersion", Value::String(revision)}});
  if (more) {
    metadata.Set("continue", Value::String(Continuation{revision, last_.namespace_name, last_.name}.ToToken()));
  }
  return R"(],"metadata":)" + manifest::ToJson(metadata) + "}\n";
}

std::vector<base::BufferSlice> ListText::Next() {
  size_t bytes = 0;
  if (looked_at_ == 0) AddText(Head());
  while (looked_at_ < listed_.objects.size()) {
    // Release the object as soon as it is processed.
    ObjectPtr& next = listed_.objects[looked_at_];
    if (bytes > 0 && bytes + next->json.size() > kPieceBytes) break;
    bytes += next->json.size();
    ++looked_at_;
    const ObjectPtr object = std::move(next);
    if (!Behind(object)) continue;
    Value value;
    if (!request_.selector.empty() || request_.form.table) value = ParseStored(object->json);
    if (!request_.selector.empty() && !request_.selector.Matches(value)) continue;
    if (request_.limit > 0 && told_ == request_.limit) {
      AddText(Tail(true));
      over_ = true;
      break;
    }
    Add(object, value);
  }
  if (!over_ && looked_at_ >= listed_.objects.size()) {
    AddText(Tail(false));
    over_ = true;
  }
  Close();
  return std::exchange(piece_, {});
}

void ListText::Add(const ObjectPtr& object, const Value& value) {
  if (told_++ > 0) AddText(",");
  last_ = object->key;
  if (request_.form.table) {
    const Value table = TableOf(*request_.type, std::span(&value, 1), request_.form.with, EpochSeconds(clock_));
    return AddText(manifest::ToJson(table.Find("rows")->items().front()));
  }
  if (object->json.size() < kSharedBytesMin) return AddText(object->json);
  Close();
  piece_.push_back(SliceOf(object));
}

void ListText::Close() {
  if (!text_.empty()) piece_.emplace_back(base::Buffer::CopyOf(std::exchange(text_, {})));
}

void ListReply::Begin(std::unique_ptr<ListText> text, net::Reply reply, base::Executor& pool,
                      std::atomic<size_t>& under_way) {
  const std::shared_ptr<ListReply> list(new ListReply(std::move(text), std::move(reply), pool, under_way));
  list->MakeNext();
}

ListReply::ListReply(std::unique_ptr<ListText> text, net::Reply reply, base::Executor& pool,
                     std::atomic<size_t>& under_way)
    : text_(std::move(text)), reply_(std::move(reply)), pool_(pool), under_way_(under_way) {
  under_way_.fetch_add(1, std::memory_order_relaxed);
}

ListReply::~ListReply() { under_way_.fetch_sub(1, std::memory_order_relaxed); }

void ListReply::MakeNext() {
  pool_.Post([self = shared_from_this()]() mutable {
    std::vector<base::BufferSlice> piece = self->text_->Next();
    net::Loop& loop = self->reply_.loop();
    loop.Post([self = std::move(self), piece = std::move(piece)]() mutable { self->Send(std::move(piece)); });
  });
}

// Returning without End() cuts the response off, so that the client does not take it as complete.
void ListReply::Send(std::vector<base::BufferSlice> piece) {
  if (!std::exchange(begun_, true)) {
    net::HttpResponse head;
    head.content_type = kJsonType;
    reply_.Start(std::move(head));
  }
  bool takes_more = true;
  for (base::BufferSlice& slice : piece) takes_more = reply_.Write(std::move(slice));
  if (text_->over()) return reply_.End();
  if (!text_->kept()) return;
  if (takes_more) return MakeNext();
  reply_.OnWritable([self = shared_from_this()] {
    if (self->text_->kept()) self->MakeNext();
  });
}

}  // namespace inferd::apiserver
