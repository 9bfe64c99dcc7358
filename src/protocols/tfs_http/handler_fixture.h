#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "net/fake_exchange.h"
#include "net/http/http.h"
#include "net/http/target.h"
#include "protocols/tfs/fake_request_log.h"
#include "protocols/tfs_http/handler.h"
#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"

// The front-end's interfaces, driven by hand. Single-threaded.

namespace inferd::tfs_http {

using core::FakeDispatcher;
using core::FakePinned;

// Makes a request as the transport would; `target` must outlive it.
inline net::HttpRequest Request(net::Method method, std::string_view target, std::string_view body = "",
                                const std::vector<std::pair<std::string_view, std::string_view>>& headers = {}) {
  net::HttpRequest request;
  net::RequestHead& head = request.head;
  head.method = method;
  head.method_text = method == net::Method::kPost      ? "POST"
                     : method == net::Method::kGet     ? "GET"
                     : method == net::Method::kOptions ? "OPTIONS"
                                                       : "PUT";
  if (!net::ParseTarget(target, head).ok()) head.segments.clear();
  head.peer = "127.0.0.1:1";
  head.content_length = body.size();
  for (const auto& header : headers) head.headers.push_back(header);
  request.body = base::BufferSlice(base::Buffer::CopyOf(body));
  return request;
}

// Returns a model by that name; its shapes decide whether it is batched.
inline std::shared_ptr<FakePinned> Model(std::vector<core::TensorSpec> inputs,
                                         std::vector<core::TensorSpec> outputs = {}) {
  auto pinned = std::make_shared<FakePinned>();
  pinned->signature_.inputs = std::move(inputs);
  pinned->signature_.outputs = std::move(outputs);
  return pinned;
}

// The environment of one handler.
struct TestServer {
  using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

  Environment NewEnvironment() {
    return {.options = options,
            .access = access,
            .dispatcher = dispatcher,
            .catalog = catalog,
            .pool = pool,
            .logger = *logger,
            .clock = clock,
            .metrics = std::make_unique<tfs::RequestMetrics>(registry, "REST"),
            .request_log = &request_log,
            .metrics_text = [this] { return registry.PrometheusText(); }};
  }
  std::unique_ptr<net::HttpHandler> NewHandler() { return MakeHandler(NewEnvironment()); }

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
  // Returns "200 <body>".
  std::string Answer(net::HttpResponse response) { return std::to_string(response.status) + " " + BodyText(response); }
  std::string AnswerTo(std::string_view path) { return Answer(Get(path)); }
  std::string AnswerTo(std::string_view path, std::string_view body) { return Answer(Post(path, body)); }

  Options options;
  access::Policy access;
  base::FakeClock clock;
  metrics::Registry registry;
  tfs::FakeRequestLog request_log;
  std::unique_ptr<base::Logger> logger = base::Logger::Silent();
  FakeDispatcher dispatcher;
  core::FakeCatalog catalog;
  net::FakeLoop loop;
  net::Reply::Target replies{loop};
  net::FakeExchange exchange{replies};
  net::FakePool pool;  // its tasks hold replies
  std::unique_ptr<net::HttpHandler> handler = NewHandler();
};

}  // namespace inferd::tfs_http
