#include "kserve/apiserver/http/api_server.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/text/ascii_case.h"
#include "kserve/apiserver/http/caller.h"
#include "kserve/apiserver/http/list.h"
#include "kserve/apiserver/http/log_follow.h"
#include "kserve/apiserver/http/log_query.h"
#include "kserve/apiserver/http/request_body.h"
#include "kserve/apiserver/http/response_form.h"
#include "kserve/apiserver/http/streams.h"
#include "kserve/apiserver/http/watch.h"
#include "net/http/host.h"

namespace inferd::apiserver {

namespace {

// More threads than cores, because they wait for the disk, and waiting writes share one commit.
constexpr size_t kThreads = 16;

// Returns true for "localhost" or an address. A page could have any other name resolve to this machine.
bool IsAddress(std::string_view text) {
  const auto host = net::ParseHost(text);
  return host.has_value() && (host->kind != net::Host::Kind::kName || base::EqualWithoutCase(host->name, "localhost"));
}

std::optional<ApiError> RefusalOf(const net::RequestHead& head) {
  if (head.Find("Origin").has_value()) return ApiError{403, "Forbidden", "requests of pages in a browser are refused"};
  const std::string_view host = head.Find("Host").value_or("localhost");
  if (IsAddress(host)) return std::nullopt;
  return ApiError{403, "Forbidden", "the Host must be localhost or an address, not '" + std::string(host) + "'"};
}

// A call that runs on a thread of the pool, and its response on the way back.
struct Pending {
  net::HttpRequest request;
  net::Reply reply;
  net::HttpResponse response{};
};

}  // namespace

// The handler of one loop.
class ApiServer::Handler final : public net::HttpHandler {
 public:
  Handler(ApiServer& server, net::Loop& loop)
      : server_(server), loop_(loop), streams_(std::make_shared<Streams>(server.registry_.store(), loop)) {
    streams_->Begin();
  }

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    net::BodyPlan plan;
    plan.bytes_max = kBodyBytesMax;
    plan.refusal_form = TransportRefusal;
    auto refusal = RefusalOf(head);
    if (!refusal.has_value()) refusal = RefusalOfCaller(head, server_.token_);
    if (refusal.has_value()) plan.refuse = ErrorResponse(*refusal);
    return plan;
  }

  net::RefusalForm RefusalFormOf(const net::RequestHead&) const override { return TransportRefusal; }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    const Query query(request.head.query);
    const bool reads = request.head.method == net::Method::kGet;
    if (reads && query.IsTrue("watch")) return OnWatch(request, query, std::move(reply));
    if (reads || request.head.method == net::Method::kHead) {
      const auto path = ParseApiPath(request.head);
      const bool lists = path.has_value() && path->name.empty() && path->subresource.empty();
      if (lists) return OnList(request.head, *path, query, std::move(reply));
    }
    if (reads && query.IsTrue("follow") && server_.logs_ != nullptr) {
      const auto path = ParseApiPath(request.head);
      if (path.has_value() && path->subresource == "log") return OnFollow(*path, query, std::move(reply));
    }
    auto pending = std::make_unique<Pending>(Pending{.request = std::move(request), .reply = std::move(reply)});
    server_.pool_.Post([pending = std::move(pending), &server = server_, &loop = loop_]() mutable {
      pending->response = server.calls_.Answer(pending->request);
      loop.Post([pending = std::move(pending)]() mutable { pending->reply.Send(std::move(pending->response)); });
    });
  }

  void OnDrain() override { streams_->Finish(); }

 private:
  void OnList(const net::RequestHead& head, const ApiPath& path, const Query& query, net::Reply reply) {
    auto list = ReadListRequest(head, path, query);
    if (!list.has_value()) return reply.Send(ErrorResponse(list.error()));
    if (server_.lists_.load(std::memory_order_relaxed) >= ListReply::kListsMax) return RefuseMore(reply, "lists");
    auto text = std::make_unique<ListText>(server_.registry_.store(), server_.clock_, *std::move(list));
    ListReply::Begin(std::move(text), std::move(reply), server_.pool_, server_.lists_);
  }

  void OnWatch(const net::HttpRequest& request, const Query& query, net::Reply reply) {
    const auto path = ParseApiPath(request.head);
    if (!path.has_value() || !path->subresource.empty()) return reply.Send(ErrorResponse(UnknownPathError()));
    auto watch = ReadWatchRequest(request.head, *path, query);
    if (!watch.has_value()) return reply.Send(ErrorResponse(watch.error()));
    Add(std::make_unique<Watch>(server_.registry_.store(), server_.clock_, *std::move(watch), std::move(reply)));
  }

  void OnFollow(const ApiPath& path, const Query& query, net::Reply reply) {
    const auto chosen = ReadLogQuery(query, std::chrono::system_clock::now());
    if (!chosen.has_value()) return reply.Send(ErrorResponse(chosen.error()));
    auto log = ReadChosenLog(*server_.logs_, path, *chosen);
    if (!log.has_value()) return reply.Send(ErrorResponse(log.error()));
    Add(std::make_unique<LogFollow>(*server_.logs_, std::string(path.namespace_name), std::string(path.name),
                                    *std::move(log), chosen->timestamps, std::move(reply)));
  }

  void Add(std::unique_ptr<Stream> stream) {
    if (streams_->full()) return RefuseMore(stream->reply(), "watches");
    streams_->Add(std::move(stream));
  }

  static void RefuseMore(net::Reply& reply, const std::string& of) {
    reply.Send(ErrorResponse({.code = 429, .reason = "TooManyRequests", .message = "too many " + of + " are open"}));
  }

  ApiServer& server_;
  net::Loop& loop_;
  const std::shared_ptr<Streams> streams_;
};

ApiServer::ApiServer(Registry& registry, const LogSource* logs, const base::Clock& clock,
                     const net::SecretDigest& token)
    : registry_(registry),
      logs_(logs),
      clock_(clock),
      token_(token),
      calls_(registry, logs, clock),
      pool_("api", kThreads) {}

net::HandlerFactory ApiServer::Handlers() {
  return [this](net::Loop& loop) { return std::make_unique<Handler>(*this, loop); };
}

}  // namespace inferd::apiserver
