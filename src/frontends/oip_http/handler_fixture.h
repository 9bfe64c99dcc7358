#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "core/catalog.h"
#include "core/dispatcher.h"
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
  void Send(net::HttpResponse response) override {
    responses.push_back(std::move(response));
    Close();
  }
  void Start(net::HttpResponse response) override { Send(std::move(response)); }
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

class FakePinned final : public core::PinnedModel {
 public:
  const core::ModelSignature& signature() const override { return signature_; }
  const std::string& version() const override { return version_; }
  core::ModelSignature signature_;
  std::string version_ = "1";
};

// Knows the models in `models`; `infer` answers, by default with the inputs as outputs.
class FakeDispatcher final : public core::Dispatcher {
 public:
  base::Result<std::shared_ptr<const core::PinnedModel>> Find(std::string_view model,
                                                              std::string_view version) override {
    const auto it = models.find(std::string(model));
    if (it == models.end() || (!version.empty() && version != it->second->version_)) {
      return std::unexpected(base::NotFound("Request for unknown model: '" + std::string(model) + "' is not found"));
    }
    return std::shared_ptr<const core::PinnedModel>(it->second);
  }

  void Infer(std::shared_ptr<const core::PinnedModel> pinned, std::unique_ptr<core::InferRequest> request,
             core::Completion completion) override {
    last = std::move(request);
    infer(*pinned, *last, std::move(completion));
  }

  static void Echo(const core::PinnedModel& pinned, const core::InferRequest& request, core::Completion completion) {
    core::InferResponse response;
    response.model_name = request.model_name;
    response.model_version = pinned.version();
    response.id = request.id;
    if (request.outputs.empty()) {
      for (const core::InferTensor& input : request.inputs) response.outputs.push_back(input);
    }
    for (size_t i = 0; i < request.outputs.size() && i < request.inputs.size(); ++i) {
      response.outputs.push_back(request.inputs[i]);
      response.outputs.back().name = request.outputs[i].name;
    }
    for (core::InferTensor& output : response.outputs) output.parameters.clear();
    completion.Send(std::move(response));
  }

  std::map<std::string, std::shared_ptr<FakePinned>> models;
  std::unique_ptr<core::InferRequest> last;
  std::function<void(const core::PinnedModel&, const core::InferRequest&, core::Completion)> infer = Echo;
};

class FakeCatalog final : public core::Catalog {
 public:
  bool ServerLive() const override { return live; }
  bool ServerReady() const override { return ready; }
  base::Status ModelReady(std::string_view, std::string_view) const override { return model_ready; }
  base::Result<core::ModelMetadata> Metadata(std::string_view, std::string_view) const override { return metadata; }
  base::Result<std::string> ConfigJson(std::string_view, std::string_view) const override { return config; }
  base::Result<std::vector<core::ModelStatistics>> Statistics(std::string_view model, std::string_view) const override {
    asked_model = model;
    return statistics;
  }
  base::Result<std::vector<core::IndexEntry>> Index(std::string_view repository, bool ready_only) const override {
    asked_repository = repository;
    asked_ready_only = ready_only;
    return index;
  }
  std::vector<std::string> ModelNames() const override { return {"a", "b"}; }
  void Load(core::LoadCall call, core::ControlCallback done) override {
    load = std::move(call);
    done(control);
  }
  void Unload(core::UnloadCall call, core::ControlCallback done) override {
    unload = std::move(call);
    done(control);
  }

  bool live = true;
  bool ready = true;
  base::Status model_ready;
  base::Status control;
  base::Result<core::ModelMetadata> metadata;
  base::Result<std::string> config = std::string("{}");
  base::Result<std::vector<core::ModelStatistics>> statistics;
  base::Result<std::vector<core::IndexEntry>> index;
  mutable std::string asked_model;
  mutable std::string asked_repository;
  mutable bool asked_ready_only = false;
  std::optional<core::LoadCall> load;
  std::optional<core::UnloadCall> unload;
};

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
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace inferd::oip_http
