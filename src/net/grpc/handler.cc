#include "net/grpc/handler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "net/grpc/call_headers.h"
#include "net/grpc/call_metrics.h"
#include "net/grpc/call_sink.h"
#include "net/grpc/metadata.h"
#include "net/grpc/method_table.h"
#include "net/grpc/responder_state.h"
#include "net/grpc/web.h"
#include "net/grpc/web_text.h"

namespace inferd::net::grpc {

namespace {

constexpr int kMethodNotAllowed = 405;
constexpr int kUnsupportedMediaType = 415;
constexpr int kVersionNotSupported = 505;

BodyPlan Refusal(HttpResponse response) {
  BodyPlan plan;
  plan.refuse = std::move(response);
  return plan;
}

BodyPlan Refusal(int status, std::string_view text) { return Refusal(HttpResponse::Text(status, "text/plain", text)); }

class Handler final : public HttpHandler {
 public:
  Handler(const Environment& environment, std::vector<Method> methods, std::unique_ptr<HttpHandler> fallback)
      : environment_(environment), methods_(std::move(methods), environment.metrics), fallback_(std::move(fallback)) {}

  BodyPlan OnHead(const RequestHead& head) override {
    const auto content_type = head.Find("content-type");
    const auto wire = content_type.has_value() ? ParseContentType(*content_type) : std::nullopt;
    if (!wire.has_value()) return OnForeignHead(head);
    if (head.method != net::Method::kPost) {
      HttpResponse response = HttpResponse::Text(kMethodNotAllowed, "text/plain", "gRPC calls are POST requests");
      response.headers.emplace_back("allow", "POST");
      return Refusal(std::move(response));
    }
    if (*wire == Wire::kGrpc && !head.http2) return Refusal(kVersionNotSupported, "gRPC needs HTTP/2");

    MethodTable::Entry* entry = methods_.Find(head.target);
    if (entry == nullptr) return Refuse(*wire, methods_.UnknownMethod(head.target), methods_.unknown());
    auto headers = ReadCallHeaders(head);
    if (!headers.has_value()) return Refuse(*wire, headers.error(), entry->metrics);
    if (entry->method.admit) {
      const base::Status admitted = entry->method.admit(head);
      if (!admitted.ok()) return Refuse(*wire, admitted, entry->metrics);
    }
    auto sink = std::make_unique<CallSink>(
        environment_, entry->method, *headers,
        std::make_shared<Responder::State>(environment_, *wire, ResponseCoding(head), entry->metrics));
    BodyPlan plan;
    if (*wire == Wire::kWebText) {
      plan.sink = DecodeText(std::move(sink));
    } else {
      plan.sink = std::move(sink);
    }
    return plan;
  }

  void OnRequest(HttpRequest request, Reply reply) override {
    if (fallback_ != nullptr) fallback_->OnRequest(std::move(request), std::move(reply));
  }

  RefusalForm RefusalFormOf(const RequestHead& head) const override {
    return fallback_ != nullptr ? fallback_->RefusalFormOf(head) : nullptr;
  }

  void OnDrain() override {
    methods_.OnDrain();
    if (fallback_ != nullptr) fallback_->OnDrain();
  }

 private:
  ContentCoding ResponseCoding(const RequestHead& head) const {
    if (environment_.options.response_compression_level == 0) return ContentCoding::kIdentity;
    return ChooseCoding(head.Find("grpc-accept-encoding").value_or(""));
  }

  // Handles a request that is not a gRPC call by its content type.
  BodyPlan OnForeignHead(const RequestHead& head) {
    if (methods_.Find(head.target) != nullptr) {
      if (auto answer = AnswerPreflight(head, environment_.options)) return Refusal(*std::move(answer));
    }
    if (fallback_ != nullptr) return fallback_->OnHead(head);
    return Refusal(kUnsupportedMediaType,
                   "this port is for gRPC, whose calls have content-type application/grpc; HTTP has a port of its own");
  }

  // Refuses a call before a message is read: "Trailers-Only".
  BodyPlan Refuse(Wire wire, const base::Status& status, CallMetrics::OfMethod& metrics) {
    metrics.Count(status.code(), 0);
    HttpResponse response = MakeCallHead(wire, environment_.options);
    AppendStatus(status, {}, response.headers);
    if (status.code() == base::StatusCode::kUnimplemented) {
      response.headers.emplace_back("grpc-accept-encoding", kAcceptedCodings);
    }
    return Refusal(std::move(response));
  }

  const Environment environment_;
  MethodTable methods_;
  const std::unique_ptr<HttpHandler> fallback_;
};

}  // namespace

std::unique_ptr<HttpHandler> MakeHandler(const Environment& environment, std::vector<Method> methods,
                                         std::unique_ptr<HttpHandler> fallback) {
  return std::make_unique<Handler>(environment, std::move(methods), std::move(fallback));
}

}  // namespace inferd::net::grpc
