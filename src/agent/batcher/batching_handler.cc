#include "agent/batcher/batching_handler.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "agent/batcher/batch.h"
#include "agent/batcher/batch_call.h"
#include "agent/batcher/batch_form.h"
#include "net/http/transport_answer.h"
#include "net/upstream/call_list.h"
#include "net/upstream/pool.h"

namespace inferd::agent {

namespace {

class BatchingHandler final : public net::HttpHandler {
 public:
  BatchingHandler(const BatchOptions& options, const net::upstream::Address& component, net::EventLoop& loop,
                  std::unique_ptr<net::HttpHandler> inner)
      : options_(options),
        component_(component),
        loop_(loop),
        inner_(std::move(inner)),
        // A connection that was used before may be closed by the component just when a batch is sent, which cannot be
        // sent again.
        pool_(loop, {.idle_max = 0}),
        calls_(loop) {}
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
    if (waiting_ >= options_.waiting_max) SendAll();
    // Its instances would make the batch larger than it may be.
    const std::string key = std::string(request.head.target) + "\n" + body->frame;
    if (const auto found = forming_.find(key); found != forming_.end()) {
      const Batch& batch = *found->second.batch;
      if (batch.instances() + body->count > options_.instances_max ||
          batch.bytes() + BytesOfRows(*body) > options_.bytes_max) {
        SendForming(key);
      }
    }
    Add(*form, key, *std::move(body), std::move(request), std::move(reply));
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
  // A batch that waits for further requests.
  struct Forming {
    std::unique_ptr<Batch> batch;
    net::Loop::TimerId timer = 0;
  };

  void Add(const BatchForm& form, const std::string& key, BatchedBody body, net::HttpRequest request,
           net::Reply reply) {
    Forming& forming = forming_[key];
    if (forming.batch == nullptr) {
      forming.batch = std::make_unique<Batch>(form, std::string(request.head.target), body.frame);
      forming.timer = loop_.RunAfter(options_.latency_max, [this, key] {
        forming_.at(key).timer = 0;
        SendForming(key);
      });
    }
    const uint64_t id = ++last_id_;
    reply.OnPeerGone([this, key, id, alive = alive_] {
      if (*alive) Remove(key, id);
    });
    forming.batch->Add(id, std::move(body), std::move(request.body), std::move(reply));
    ++waiting_;
  }

  void Remove(const std::string& key, uint64_t id) {
    const auto found = forming_.find(key);
    if (found == forming_.end()) return;
    Batch& batch = *found->second.batch;
    waiting_ -= batch.callers();
    batch.Remove(id);
    waiting_ += batch.callers();
    if (!batch.empty()) return;
    loop_.CancelTimer(found->second.timer);
    forming_.erase(found);
  }

  void SendForming(const std::string& key) {
    auto node = forming_.extract(key);
    Forming& forming = node.mapped();
    if (forming.timer != 0) loop_.CancelTimer(forming.timer);
    waiting_ -= forming.batch->callers();
    const auto done = [this](BatchCall& call) { calls_.Remove(call); };
    calls_.Add(std::make_unique<BatchCall>(std::move(forming.batch), loop_, done))
        .Start(pool_, component_, options_.timeout);
  }

  void SendAll() {
    while (!forming_.empty()) SendForming(std::string(forming_.begin()->first));
  }

  const BatchOptions options_;
  const net::upstream::Address component_;
  net::EventLoop& loop_;
  const std::unique_ptr<net::HttpHandler> inner_;
  net::upstream::Pool pool_;
  net::upstream::CallList<BatchCall> calls_;
  std::unordered_map<std::string, Forming> forming_;  // by target and what else the bodies have in common
  size_t waiting_ = 0;                                // requests of forming_
  uint64_t last_id_ = 0;
  bool draining_ = false;
  // For what the transport may still run after this has gone.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeBatchingHandler(const BatchOptions& options,
                                                      const net::upstream::Address& component, net::EventLoop& loop,
                                                      std::unique_ptr<net::HttpHandler> inner) {
  return std::make_unique<BatchingHandler>(options, component, loop, std::move(inner));
}

}  // namespace inferd::agent
