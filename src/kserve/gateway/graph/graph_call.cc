#include "kserve/gateway/graph/graph_call.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/ascii_case.h"
#include "net/http/transport_answer.h"

namespace inferd::graph {

namespace {

constexpr std::string_view kContentType = "Content-Type";

// Returns the number of graphs that the request has passed through.
size_t GraphsOf(const net::RequestHead& head) {
  const std::string_view text = head.Find(GraphService::kGraphsField).value_or("");
  size_t graphs = 0;
  std::from_chars(text.data(), text.data() + text.size(), graphs);
  return std::min(graphs, GraphService::kGraphsMax);
}

// The owners of what the head of a step's request refers to. They may outlive the call.
struct Kept {
  std::shared_ptr<const net::HttpRequest> request;
  std::shared_ptr<const gateway::Route> route;  // with the plan
  std::string graphs;
};

}  // namespace

GraphCall::GraphCall(const GraphService& service, gateway::CallOwner& owner,
                     std::shared_ptr<const gateway::Route> route, net::HttpRequest request, net::Reply reply)
    : service_(service),
      owner_(owner),
      route_(std::move(route)),
      request_(std::make_shared<const net::HttpRequest>(std::move(request))),
      reply_(std::move(reply)),
      graphs_(GraphsOf(request_->head) + 1),
      bytes_left_(std::make_shared<size_t>(service.options().bytes_max)),
      run_(service.plan(), *this) {}

GraphCall::~GraphCall() {
  *alive_ = false;
  if (timer_ != 0) owner_.loop().CancelTimer(timer_);
}

void GraphCall::Start() {
  if (graphs_ > GraphService::kGraphsMax) return Refuse(508, "the graph is asked by its own steps, again and again");
  reply_.OnPeerGone([this, alive = alive_] {
    if (*alive) Finish();
  });
  timer_ = owner_.loop().RunAfter(service_.options().timeout, [this] {
    timer_ = 0;
    Refuse(504, "the graph did not answer in time");
  });
  run_.Start(request_->body, [this](gateway::InnerAnswer answer) { Answer(std::move(answer)); });
}

void GraphCall::Call(const Target& target, base::BufferSlice body, Done done) {
  if (done_) return;
  const uint64_t number = ++last_step_;
  auto& step = steps_[number];
  step = std::make_unique<gateway::InnerExchange>(
      owner_.loop(), owner_.loop().replies(), bytes_left_,
      [this, number, done = std::move(done)](gateway::InnerAnswer answer) mutable {
        steps_.erase(number);
        done(std::move(answer));
      });
  const auto timeout = service_.options().step_timeout;
  if (timeout.has_value()) step->EndAfter(*timeout);
  net::Reply reply = step->Open();
  net::HttpRequest request = MakeRequest(target, std::move(body));
  if (target.address != nullptr) return owner_.ForwardBy(target.address, std::move(request), std::move(reply));
  owner_.Forward(std::move(request), std::move(reply));
}

net::HttpRequest GraphCall::MakeRequest(const Target& target, base::BufferSlice body) const {
  net::HttpRequest request;
  net::RequestHead& head = request.head;
  head.method = net::Method::kPost;
  head.method_text = "POST";
  head.target = target.path;
  head.peer = request_->head.peer;
  head.tls = request_->head.tls;
  head.headers.emplace_back("Host", target.host);
  bool has_type = false;
  for (const auto& [name, value] : request_->head.headers) {
    if (!service_.Propagates(name)) continue;
    has_type |= base::EqualWithoutCase(name, kContentType);
    head.headers.emplace_back(name, value);
  }
  if (!has_type) head.headers.emplace_back(kContentType, "application/json");
  auto kept = std::make_shared<const Kept>(request_, route_, std::to_string(graphs_));
  head.headers.emplace_back(GraphService::kGraphsField, kept->graphs);
  request.store = std::move(kept);
  request.body = std::move(body);
  return request;
}

void GraphCall::Answer(gateway::InnerAnswer answer) {
  net::HttpResponse response;
  response.status = answer.status;
  if (!answer.content_type.empty()) response.headers.emplace_back(kContentType, std::move(answer.content_type));
  if (!answer.body.empty()) response.body.push_back(std::move(answer.body));
  reply_.Send(std::move(response));
  Finish();
}

void GraphCall::Refuse(int status, std::string_view text) {
  reply_.Send(net::TransportAnswer(status, text));
  Finish();
}

void GraphCall::Finish() {
  if (std::exchange(done_, true)) return;
  steps_.clear();
  owner_.OnDone(*this);
}

}  // namespace inferd::graph
