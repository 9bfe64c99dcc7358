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
#include "protocols/oip_http/handler.h"
#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"

// The front-end's interfaces, driven by hand. Single-threaded.

namespace inferd::oip_http {

using core::FakeCatalog;
using core::FakeDispatcher;
using core::FakePinned;
using net::FakeExchange;
using net::FakeLoop;
using net::FakePool;

// The environment of one handler.
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

  // Makes a request as the transport would. `path` has no escapes.
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

  // Passes a request to a handler, which answers by the end of Settle().
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
  net::HttpResponse Get(std::string_view path, const Headers& headers = {}) {
    return Ask(Request(net::Method::kGet, path, "", headers));
  }
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

}  // namespace inferd::oip_http
