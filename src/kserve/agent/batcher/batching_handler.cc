#include "kserve/agent/batcher/batching_handler.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "kserve/agent/batcher/batch.h"
#include "kserve/agent/batcher/batch_form.h"
#include "kserve/agent/batcher/batch_queue.h"
#include "kserve/agent/batcher/batch_room.h"
#include "net/http/transport_answer.h"

namespace inferd::agent {

namespace {

class BatchingHandler final : public net::HttpHandler {
 public:
  BatchingHandler(const BatchOptions& options, const net::upstream::Address& component, net::EventLoop& loop,
                  std::unique_ptr<net::HttpHandler> inner)
      : options_(options),
        loop_(loop),
        inner_(std::move(inner)),
        room_(options.requests_max, options.body_bytes_max, options.answer_bytes_max),
        queue_(options_, component, loop, room_) {}
  ~BatchingHandler() override {
    *alive_ = false;
    for (const auto& [key, forming] : forming_) loop_.CancelTimer(forming.timer);
  }

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    return FindBatchForm(head) != nullptr ? net::BodyPlan() : inner_->OnHead(head);
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const BatchForm* const form = FindBatchForm(request.head);
    if (form == nullptr) return inner_->OnRequest(std::move(request), std::move(reply));
    auto body = form->Parse(request.body.view());
    if (!body.has_value() && body.error().code() == base::StatusCode::kUnimplemented) {
      return inner_->OnRequest(std::move(request), std::move(reply));
    }
    if (!body.has_value()) return reply.Send(net::TransportAnswer(400, body.error().message()));
    auto place = room_.Take(request.body.size());
    if (!place.has_value()) return Refuse(*form, std::move(reply));
    // This request would exceed the limits of the batch that is being formed.
    const std::string key = std::string(request.head.target) + "\n" + body->frame;
    if (const auto found = forming_.find(key); found != forming_.end()) {
      const Batch& batch = *found->second.batch;
      if (batch.instances() + body->count > options_.instances_max ||
          batch.bytes() + BytesOfRows(*body) > options_.bytes_max) {
        SendForming(key);
      }
    }
    reply.OnPeerGone([this, key, id = ++last_id_, alive = alive_] {
      if (*alive) Leave(key, id);
    });
    Add(*form, key, request.head.target,
        {.id = last_id_,
         .body = *std::move(body),
         .bytes = std::move(request.body),
         .reply = std::move(reply),
         .place = *std::move(place)});
    const Batch& batch = *forming_.at(key).batch;
    const bool full = batch.instances() >= options_.instances_max || batch.bytes() >= options_.bytes_max;
    if (full || draining_) SendForming(key);
  }

  net::RefusalForm RefusalFormOf(const net::RequestHead& head) const override { return inner_->RefusalFormOf(head); }
  void OnDrain() override {
    draining_ = true;
    SendAll();
    inner_->OnDrain();
  }

 private:
  // A batch that waits for more requests.
  struct Forming {
    std::unique_ptr<Batch> batch;
    net::Loop::TimerId timer = 0;
  };

  void Refuse(const BatchForm& form, net::Reply reply) const {
    net::HttpResponse response;
    response.status = 503;
    response.content_type = "application/json";
    response.headers.emplace_back("Retry-After", "1");
    response.body = {base::BufferSlice(base::Buffer::CopyOf(
        form.Failure("the agent holds as many requests as it may (" + std::to_string(options_.requests_max) + ", or " +
                     std::to_string(options_.body_bytes_max) + " bytes of bodies); try again later")))};
    reply.Send(std::move(response));
  }

  void Add(const BatchForm& form, const std::string& key, std::string_view target, BatchCaller caller) {
    Forming& forming = forming_[key];
    if (forming.batch == nullptr) {
      forming.batch = std::make_unique<Batch>(form, std::string(target), caller.body.frame);
      forming.timer = loop_.RunAfter(options_.latency_max, [this, key] {
        forming_.at(key).timer = 0;
        SendForming(key);
      });
    }
    forming.batch->Add(std::move(caller));
  }

  void Leave(const std::string& key, uint64_t id) {
    const auto found = forming_.find(key);
    if (found == forming_.end() || !found->second.batch->Leave(id)) return queue_.Leave(id);
    if (!found->second.batch->empty()) return;
    loop_.CancelTimer(found->second.timer);
    forming_.erase(found);
  }

  void SendForming(const std::string& key) {
    auto node = forming_.extract(key);
    Forming& forming = node.mapped();
    if (forming.timer != 0) loop_.CancelTimer(forming.timer);
    queue_.Push(std::move(forming.batch));
  }

  void SendAll() {
    while (!forming_.empty()) SendForming(std::string(forming_.begin()->first));
  }

  const BatchOptions options_;
  net::EventLoop& loop_;
  const std::unique_ptr<net::HttpHandler> inner_;
  BatchRoom room_;  // must outlive all members that hold places
  BatchQueue queue_;
  std::unordered_map<std::string, Forming> forming_;  // by target and frame
  uint64_t last_id_ = 0;
  bool draining_ = false;
  // Callbacks that the transport runs later check this.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeBatchingHandler(const BatchOptions& options,
                                                      const net::upstream::Address& component, net::EventLoop& loop,
                                                      std::unique_ptr<net::HttpHandler> inner) {
  return std::make_unique<BatchingHandler>(options, component, loop, std::move(inner));
}

}  // namespace inferd::agent
