#include "agent/batcher/batch.h"

#include <algorithm>
#include <utility>

namespace inferd::agent {

namespace {

constexpr std::string_view kJson = "application/json";
// Of what the component said, to each of the clients.
constexpr size_t kMessageBytesMax = 64 << 10;

base::BufferSlice Copied(std::string_view text) { return base::BufferSlice(base::Buffer::CopyOf(text)); }

}  // namespace

size_t BytesOfRows(const BatchedBody& body) {
  size_t bytes = 0;
  for (const std::string_view list : body.lists) bytes += list.size();
  return bytes;
}

void Batch::Add(uint64_t id, BatchedBody body, base::BufferSlice bytes, net::Reply reply) {
  instances_ += body.count;
  bytes_ += BytesOfRows(body);
  body.frame.clear();  // it is the batch's
  callers_.push_back({.id = id, .bytes = std::move(bytes), .body = std::move(body), .reply = std::move(reply)});
}

void Batch::Remove(uint64_t id) {
  const auto found = std::ranges::find(callers_, id, &Caller::id);
  if (found == callers_.end()) return;
  instances_ -= found->body.count;
  bytes_ -= BytesOfRows(found->body);
  callers_.erase(found);
}

base::BufferSlice Batch::TakeBody() {
  constexpr size_t kNumberBytes = 20;
  std::string text;
  text.reserve(frame_.size() + bytes_ + callers_.size() + kNumberBytes);
  size_t list = 0;
  for (const char c : frame_) {
    if (c == kRowCount) {
      text += std::to_string(instances_);
    } else if (c == kRows) {
      for (const Caller& caller : callers_) {
        if (&caller != &callers_.front()) text.push_back(',');
        text.append(caller.body.lists[list]);
      }
      ++list;
    } else {
      text.push_back(c);
    }
  }
  for (Caller& caller : callers_) {
    caller.body.lists.clear();
    caller.bytes = {};
  }
  return Copied(text);
}

void Batch::Answer(const base::Buffer& answer) {
  std::vector<BatchedRequest> requests;
  for (const Caller& caller : callers_) requests.push_back({.count = caller.body.count, .own = caller.body.own});
  auto bodies = form_.Split(answer, requests);
  if (!bodies.has_value()) return Fail(502, bodies.error().message());
  for (size_t i = 0; i < callers_.size(); ++i) {
    net::HttpResponse response;
    response.content_type = kJson;
    response.body = std::move((*bodies)[i]);
    callers_[i].reply.Send(std::move(response));
  }
  callers_.clear();
}

void Batch::Fail(int status, std::string_view message) {
  const base::BufferSlice body = Copied(form_.Failure(message.substr(0, kMessageBytesMax)));
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
