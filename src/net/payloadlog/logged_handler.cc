#include "net/payloadlog/logged_handler.h"

#include <string>
#include <utility>
#include <vector>

#include "net/payloadlog/logged_exchange.h"
#include "net/payloadlog/payload_fields.h"

namespace inferd::payloadlog {

namespace {

// The open exchanges of one handler.
class LoggedExchanges final {
 public:
  LoggedExchanges(PayloadLog& log, net::Reply::Target& replies) : log_(log), replies_(replies) {}

  // Returns the handler's Reply in place of the transport's. `request` has no body.
  net::Reply Begin(const Payload& request, net::Reply outer) {
    if (!Logs(log_.mode(), PayloadKind::kResponse)) return outer;
    Payload response;
    response.kind = PayloadKind::kResponse;
    response.id = request.id;
    response.subject = request.subject;
    response.traceparent = request.traceparent;
    exchanges_.push_back(std::make_unique<LoggedExchange>(replies_, std::move(outer), log_, std::move(response),
                                                          [this](LoggedExchange& done) { Remove(done); }));
    exchanges_.back()->index = exchanges_.size() - 1;
    return exchanges_.back()->Open();
  }

 private:
  // `done` is in the middle of a call.
  void Remove(LoggedExchange& done) {
    const size_t index = done.index;
    std::unique_ptr<LoggedExchange> removed = std::move(exchanges_[index]);
    if (index + 1 < exchanges_.size()) {
      exchanges_[index] = std::move(exchanges_.back());
      exchanges_[index]->index = index;
    }
    exchanges_.pop_back();
    replies_.loop().Post([removed = std::move(removed)] {});
  }

  PayloadLog& log_;
  net::Reply::Target& replies_;
  std::vector<std::unique_ptr<LoggedExchange>> exchanges_;
};

// A body that is processed as it arrives: its bytes are copied in passing.
class LoggedSink final : public net::RequestSink {
 public:
  LoggedSink(PayloadLog& log, LoggedExchanges& exchanges, std::unique_ptr<net::RequestSink> inner)
      : log_(log), exchanges_(exchanges), inner_(std::move(inner)), keeps_(Logs(log.mode(), PayloadKind::kRequest)) {}

  void Begin(net::BodyPool& bodies) override { inner_->Begin(bodies); }
  std::span<std::byte> Space() override { return inner_->Space(); }
  void OnBody(std::span<const std::byte> bytes) override {
    Keep(bytes);
    inner_->OnBody(bytes);
  }
  void OnBodyEnd() override {
    ended_ = true;
    PutWhenWhole();
    inner_->OnBodyEnd();
  }
  void Open(net::HttpRequest request, net::Reply reply) override {
    request_ = RequestPayload(request.head);
    opened_ = true;
    net::Reply inner_reply = exchanges_.Begin(request_, std::move(reply));
    PutWhenWhole();
    inner_->Open(std::move(request), std::move(inner_reply));
  }
  void Proceed() override { inner_->Proceed(); }
  bool AwaitsMore() const override { return inner_->AwaitsMore(); }

 private:
  void Keep(std::span<const std::byte> bytes) {
    if (!keeps_) return;
    if (bytes.size() > log_.bytes_max() - body_.size()) {
      keeps_ = false;
      body_ = {};
      return log_.DropTooLarge();
    }
    body_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  // The body may end before its request is opened.
  void PutWhenWhole() {
    if (!keeps_ || !ended_ || !opened_) return;
    keeps_ = false;
    request_.body.emplace_back(base::Buffer::CopyOf(std::exchange(body_, {})));
    log_.Put(std::move(request_));
  }

  PayloadLog& log_;
  LoggedExchanges& exchanges_;
  const std::unique_ptr<net::RequestSink> inner_;
  bool keeps_;
  bool ended_ = false;
  bool opened_ = false;
  std::string body_;
  Payload request_;
};

class LoggedHandler final : public net::HttpHandler {
 public:
  LoggedHandler(PayloadLog& log, PayloadFilter wanted, net::Reply::Target& replies,
                std::unique_ptr<net::HttpHandler> inner)
      : log_(log), wanted_(std::move(wanted)), exchanges_(log, replies), inner_(std::move(inner)) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    net::BodyPlan plan = inner_->OnHead(head);
    if (plan.sink != nullptr && wanted_(head)) {
      plan.sink = std::make_unique<LoggedSink>(log_, exchanges_, std::move(plan.sink));
    }
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    if (!wanted_(request.head)) return inner_->OnRequest(std::move(request), std::move(reply));
    Payload payload = RequestPayload(request.head);
    net::Reply inner_reply = exchanges_.Begin(payload, std::move(reply));
    if (Logs(log_.mode(), PayloadKind::kRequest)) {
      if (!request.body.empty()) payload.body.push_back(request.body);
      log_.Put(std::move(payload));
    }
    inner_->OnRequest(std::move(request), std::move(inner_reply));
  }

  net::RefusalForm RefusalFormOf(const net::RequestHead& head) const override { return inner_->RefusalFormOf(head); }
  void OnDrain() override { inner_->OnDrain(); }

 private:
  PayloadLog& log_;
  const PayloadFilter wanted_;
  LoggedExchanges exchanges_;  // outlives the inner handler, which has its Replies
  const std::unique_ptr<net::HttpHandler> inner_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeLoggedHandler(PayloadLog& log, PayloadFilter wanted, net::Reply::Target& replies,
                                                    std::unique_ptr<net::HttpHandler> inner) {
  return std::make_unique<LoggedHandler>(log, std::move(wanted), replies, std::move(inner));
}

}  // namespace inferd::payloadlog
