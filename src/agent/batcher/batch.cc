#include "agent/batcher/batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text/uuid.h"
#include "json/writer.h"

namespace inferd::agent {

namespace {

constexpr std::string_view kJson = "application/json";
// Of what the component said, to each of the clients.
constexpr size_t kMessageBytesMax = 64 << 10;

base::BufferSlice Copied(std::string_view text) { return base::BufferSlice(base::Buffer::CopyOf(text)); }

}  // namespace

void Batch::Add(uint64_t id, const PredictBody& body, base::BufferSlice bytes, net::Reply reply) {
  instances_ += body.count;
  bytes_ += body.instances.size();
  callers_.push_back({.id = id,
                      .instances = body.count,
                      .bytes = std::move(bytes),
                      .text = body.instances,
                      .reply = std::move(reply)});
}

void Batch::Remove(uint64_t id) {
  const auto found = std::ranges::find(callers_, id, &Caller::id);
  if (found == callers_.end()) return;
  instances_ -= found->instances;
  bytes_ -= found->text.size();
  callers_.erase(found);
}

base::BufferSlice Batch::TakeBody() {
  constexpr std::string_view kBegin = "\"instances\":[";
  std::string text = "{";
  text.reserve(rest_.size() + bytes_ + callers_.size() + kBegin.size() + 8);
  if (!rest_.empty()) text.append(rest_).append(",");
  text.append(kBegin);
  for (Caller& caller : callers_) {
    if (&caller != &callers_.front()) text.push_back(',');
    text.append(caller.text);
    caller.text = {};
    caller.bytes = {};
  }
  text.append("]}");
  return Copied(text);
}

void Batch::Answer(const base::Buffer& answer) {
  const std::string_view text(reinterpret_cast<const char*>(answer.data()), answer.size());
  std::vector<size_t> counts;
  for (const Caller& caller : callers_) counts.push_back(caller.instances);
  const auto parts = SplitPredictions(text, counts);
  if (!parts.has_value()) return Fail(502, parts.error().message());
  const base::BufferSlice begin = Copied(R"({"message":"","batchId":")" + base::NewUuid() + R"(","predictions":[)");
  const base::BufferSlice end = Copied("]}");
  for (size_t i = 0; i < callers_.size(); ++i) {
    net::HttpResponse response;
    response.content_type = kJson;
    const std::string_view part = (*parts)[i];
    response.body = {begin, {answer, reinterpret_cast<const std::byte*>(part.data()), part.size()}, end};
    callers_[i].reply.Send(std::move(response));
  }
  callers_.clear();
}

void Batch::Fail(int status, std::string_view message) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("message", message.substr(0, kMessageBytesMax));
  writer.Member("batchId", std::string_view());
  writer.Key("predictions");
  writer.Null();
  writer.EndObject();
  const base::BufferSlice body = Copied(writer.TakeString());
  for (Caller& caller : callers_) {
    net::HttpResponse response;
    response.status = status;
    response.content_type = kJson;
    response.body = {body};
    caller.reply.Send(std::move(response));
  }
  callers_.clear();
}

}  // namespace inferd::agent
