#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "net/http/http.h"

// For tests and fuzzing: a RequestSink that writes down what it is told.

namespace inferd::net {

// What a RecordingSink was told; outlives it.
struct SinkRecord {
  std::string calls;  // "begin body end open proceed gone", a space behind each
  std::string body;
  HttpRequest request;
  Reply reply;
  bool awaits_more = false;
  std::function<void()> on_open = [] {};
  std::function<void()> on_proceed = [] {};
};

class RecordingSink final : public RequestSink {
 public:
  explicit RecordingSink(std::shared_ptr<SinkRecord> record) : record_(std::move(record)) {}
  ~RecordingSink() override { record_->calls += "gone "; }

  void Begin(BodyPool&) override { record_->calls += "begin "; }
  void OnBody(std::span<const std::byte> bytes) override {
    record_->calls += "body ";
    record_->body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void OnBodyEnd() override { record_->calls += "end "; }
  void Open(HttpRequest request, Reply reply) override {
    record_->calls += "open ";
    record_->request = std::move(request);
    record_->reply = std::move(reply);
    record_->on_open();
  }
  void Proceed() override {
    record_->calls += "proceed ";
    record_->on_proceed();
  }
  bool AwaitsMore() const override { return record_->awaits_more; }

 private:
  std::shared_ptr<SinkRecord> record_;
};

}  // namespace inferd::net
