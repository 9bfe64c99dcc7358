#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "core/fake_catalog.h"
#include "core/fake_dispatcher.h"
#include "frontends/oip_http/handler.h"
#include "net/exchange.h"
#include "net/http.h"

// The seams of the front-end, driven by hand. Single-threaded.

namespace inferd::oip_http {

// Keeps what is posted until RunAll.
class FakeLoop final : public net::Loop {
 public:
  void Post(base::Task task) override { tasks_.push_back(std::move(task)); }
  bool InLoopThread() const override { return in_loop; }
  TimerId RunAfter(std::chrono::milliseconds, base::Task) override { return 0; }
  void CancelTimer(TimerId) override {}
  size_t index() const override { return 0; }

  size_t RunAll() {
    size_t ran = 0;
    for (; !tasks_.empty(); ++ran) {
      base::Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
    return ran;
  }

  bool in_loop = true;

 private:
  std::deque<base::Task> tasks_;
};

class FakePool final : public base::Executor {
 public:
  void Post(base::Task task) override { tasks_.push_back(std::move(task)); }
  size_t RunAll() {
    size_t ran = 0;
    for (; !tasks_.empty(); ++ran) {
      base::Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
    return ran;
  }
  size_t queued() const { return tasks_.size(); }

 private:
  std::deque<base::Task> tasks_;
};

class FakeExchange final : public net::Exchange {
 public:
  using Exchange::Exchange;
  void Send(net::HttpResponse&& response) override {
    responses.push_back(std::move(response));
    Close();
  }
  void Start(net::HttpResponse&& response) override { Send(std::move(response)); }
  bool Write(base::BufferSlice) override { return true; }
  void End(net::Trailers) override { Close(); }
  void Abandon() override { Send(net::HttpResponse::Text(500, "", "abandoned")); }
  void OnWritable(base::Task) override {}
  void OnPeerGone(base::Task task) override { on_peer_gone = std::move(task); }
  void PauseBody() override {}
  void ResumeBody() override {}
  void TellPeerGone() override {}

  std::vector<net::HttpResponse> responses;
  base::Task on_peer_gone;
};

using core::FakeCatalog;
using core::FakeDispatcher;
using core::FakePinned;

// Everything around one handler.
struct TestServer {
  using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

  std::unique_ptr<net::HttpHandler> NewHandler() {
    return MakeHandler({.options = options,
                        .access = access,
                        .dispatcher = dispatcher,
                        .catalog = catalog,
                        .pool = pool,
                        .logger = *logger,
                        .clock = clock,
                        .metrics_text = [] { return std::string("m 1\n"); }});
  }

  // A request as the transport would build it. `path` has no escapes.
  static net::HttpRequest Request(net::Method method, std::string_view path, std::string_view body = "",
                                  const Headers& headers = {}) {
    net::HttpRequest request;
    net::RequestHead& head = request.head;
    head.method = method;
    head.method_text = method == net::Method::kPost ? "POST" : method == net::Method::kGet ? "GET" : "PUT";
    head.target = path;
    head.peer = "127.0.0.1:1";
    head.content_length = body.size();
    for (std::string_view rest = path.substr(1);;) {
      const size_t slash = rest.find('/');
      head.segments.emplace_back(rest.substr(0, slash));
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash + 1);
    }
    for (const auto& header : headers) head.headers.push_back(header);
    request.body = base::BufferSlice(base::Buffer::CopyOf(body));
    return request;
  }

  // Hands a request to a handler; its answer once Settle has run.
  void Start(net::HttpRequest request) {
    net::BodyPlan plan = handler->OnHead(request.head);
    if (plan.refuse) {
      exchange.responses.push_back(*std::move(plan.refuse));
      return;
    }
    handler->OnRequest(std::move(request), exchange.Open());
  }
  void Settle() {
    while (loop.RunAll() + pool.RunAll() > 0) {
    }
  }
  net::HttpResponse Ask(net::HttpRequest request) {
    exchange.responses.clear();
    Start(std::move(request));
    Settle();
    if (exchange.responses.size() != 1) return net::HttpResponse::Text(0, "", "answers: none or several");
    return std::move(exchange.responses.front());
  }
  net::HttpResponse Get(std::string_view path) { return Ask(Request(net::Method::kGet, path)); }
  net::HttpResponse Post(std::string_view path, std::string_view body, const Headers& headers = {}) {
    return Ask(Request(net::Method::kPost, path, body, headers));
  }

  Options options;
  access::Policy access;
  base::FakeClock clock;
  std::unique_ptr<base::Logger> logger = base::Logger::Silent();
  FakeDispatcher dispatcher;
  FakeCatalog catalog;
  FakeLoop loop;
  net::Reply::Target replies{loop};
  FakeExchange exchange{replies};
  FakePool pool;  // its tasks hold replies
  std::unique_ptr<net::HttpHandler> handler = NewHandler();
};

inline std::string Body(const net::HttpResponse& response) {
  std::string text;
  for (const base::BufferSlice& piece : response.body) text += piece.view();
  return text;
}

inline std::string Header(const net::HttpResponse& response, std::string_view name) {
  if (name == "Content-Type") return std::string(response.content_type);
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace inferd::oip_http
