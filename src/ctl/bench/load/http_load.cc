#include "ctl/bench/load/http_load.h"

#include <utility>

#include "net/client/response_reader.h"

namespace inferd::ctl {

namespace {

class HttpLoadProtocol final : public LoadProtocol {
 public:
  explicit HttpLoadProtocol(std::shared_ptr<const std::string> request)
      : request_(std::move(request)), sent_(request_->size()) {}

  void Begin(size_t call) override {
    call_ = call;
    busy_ = true;
    sent_ = 0;
  }
  std::string_view Output() override { return std::string_view(*request_).substr(sent_); }
  void Sent(size_t bytes) override { sent_ += bytes; }

  State Read(std::string_view data, std::vector<Answer>& answers) override {
    while (!data.empty()) {
      if (!busy_) return Break("the server sent more than one answer");
      switch (reader_.Read(data)) {
        case net::ResponseReader::State::kMore: return State::kOpen;
        case net::ResponseReader::State::kBroken: return Break("the answer is not HTTP/1.1");
        case net::ResponseReader::State::kDone: break;
      }
      busy_ = false;
      answers.push_back({.call = call_});
      if (reader_.status() / 100 != 2) {
        answers.back().error = "HTTP " + std::to_string(reader_.status()) + ": " + reader_.error_body();
      }
      const bool keep_alive = reader_.keep_alive();
      reader_.Reset();
      if (!keep_alive) return State::kDone;
    }
    return State::kOpen;
  }
  std::string_view error() const override { return error_; }

 private:
  State Break(std::string_view why) {
    error_ = why;
    return State::kBroken;
  }

  const std::shared_ptr<const std::string> request_;
  size_t sent_;
  size_t call_ = 0;
  bool busy_ = false;
  net::ResponseReader reader_;
  std::string_view error_;
};

}  // namespace

std::string SerializeRequest(const net::Url& url, const net::ClientRequest& request) {
  std::string text = request.method + " " + url.path + request.path + " HTTP/1.1\r\nHost: " + url.Authority() + "\r\n";
  for (const auto& [name, value] : request.headers) text += name + ": " + value + "\r\n";
  if (!request.body.empty() || request.method == "POST") {
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return text + "\r\n" + request.body;
}

LoadProtocolFactory HttpLoad(const net::Url& url, const net::ClientRequest& request) {
  return [text = std::make_shared<const std::string>(SerializeRequest(url, request))] {
    return std::make_unique<HttpLoadProtocol>(text);
  };
}

}  // namespace inferd::ctl
