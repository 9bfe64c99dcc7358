#include "kserve/agent/batcher/batch.h"

#include <algorithm>
#include <utility>

namespace inferd::agent {

namespace {

constexpr std::string_view kJson = "application/json";
// Limit for the component's error text, which is sent to every client.
constexpr size_t kMessageBytesMax = 64 << 10;

base::BufferSlice Copied(std::string_view text) { return base::BufferSlice(base::Buffer::CopyOf(text)); }

}  // namespace

size_t BytesOfRows(const BatchedBody& body) {
  size_t bytes = 0;
  for (const std::string_view list : body.lists) bytes += list.size();
  return bytes;
}

void Batch::Add(BatchCaller caller) {
  instances_ += caller.body.count;
  bytes_ += BytesOfRows(caller.body);
  ++waiting_;
  caller.body.frame.clear();  // the batch has the same one
  callers_.push_back(std::move(caller));
}

bool Batch::Leave(uint64_t id) {
  const auto found = std::ranges::find(callers_, id, &BatchCaller::id);
  if (found == callers_.end()) return false;
  if (!std::exchange(found->gone, true)) --waiting_;
  if (formed_) {
    found->reply = net::Reply();  // closes this connection now, before the others are answered
    return true;
  }
  instances_ -= found->body.count;
  bytes_ -= BytesOfRows(found->body);
  callers_.erase(found);
  return true;
}

base::BufferSlice Batch::Body() {
  formed_ = true;
  constexpr size_t kNumberBytes = 20;
  std::string text;
  text.reserve(frame_.size() + bytes_ + callers_.size() + kNumberBytes);
  size_t list = 0;
  for (const char c : frame_) {
    if (c == kRowCount) {
      text += std::to_string(instances_);
    } else if (c == kRows) {
      for (const BatchCaller& caller : callers_) {
        if (&caller != &callers_.front()) text.push_back(',');
        text.append(caller.body.lists[list]);
      }
      ++list;
    } else {
      text.push_back(c);
    }
  }
  return Copied(text);
}

base::Status Batch::Answer(const base::Buffer& answer) {
  std::vector<BatchedRequest> requests;
  for (const BatchCaller& caller : callers_) {
    requests.push_back({.count = caller.body.count, .own = caller.body.own});
  }
  INFERD_ASSIGN_OR_RETURN(auto bodies, form_.Split(answer, requests));
  for (size_t i = 0; i < callers_.size(); ++i) {
    if (callers_[i].gone) continue;
    net::HttpResponse response;
    response.content_type = kJson;
    response.body = std::move(bodies[i]);
    callers_[i].reply.Send(std::move(response));
  }
  callers_.clear();
  return base::OkStatus();
}

void Batch::Fail(int status, std::string_view message) {
  const base::BufferSlice body = Copied(form_.Failure(message.substr(0, kMessageBytesMax)));
  for (BatchCaller& caller : callers_) {
    if (caller.gone) continue;
    net::HttpResponse response;
    response.status = status;
    response.content_type = kJson;
    response.body = {body};
    caller.reply.Send(std::move(response));
  }
  callers_.clear();
}

std::vector<std::unique_ptr<Batch>> Batch::TakeApart() {
  std::vector<std::unique_ptr<Batch>> batches;
  for (BatchCaller& caller : callers_) {
    if (caller.gone) continue;
    batches.push_back(std::make_unique<Batch>(form_, target_, frame_));
    batches.back()->Add(std::move(caller));
  }
  callers_.clear();
  waiting_ = 0;
  return batches;
}

}  // namespace inferd::agent
