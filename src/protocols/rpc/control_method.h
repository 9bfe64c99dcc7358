#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "net/grpc/generated_message.h"
#include "net/grpc/service.h"
#include "protocols/call/await_load.h"
#include "protocols/rpc/call.h"

// Methods that are answered on the loop, at once or when a model is loaded. `Environment` is the service's, for
// SurroundingsOf().

namespace inferd::rpc {

// For the access log: notes the model that a request names in its own fields, or in a ModelSpec.
template <typename Request>
void NoteModel([[maybe_unused]] const Request& request, [[maybe_unused]] Call& call) {
  if constexpr (requires { call.SetModel(request.name(), request.version()); }) {
    call.SetModel(request.name(), request.version());
  } else if constexpr (requires { request.model_spec(); }) {
    const auto& spec = request.model_spec();
    call.SetModel(spec.name(), spec.has_version() ? std::to_string(spec.version().value()) : std::string());
  }
}

// `answer` returns the response to a request, or a Result of it.
template <typename Environment, typename Request, typename Response>
net::grpc::Method AtOnce(const std::shared_ptr<const Environment>& environment, std::string path,
                         base::Result<Response> (*answer)(const Environment&, const Request&)) {
  net::grpc::Method method{.path = std::move(path)};
  method.unary = [environment, answer](net::grpc::CallContext context, base::BufferSlice message,
                                       net::grpc::Responder responder) {
    Call call(SurroundingsOf(*environment), context, std::move(responder));
    const auto request = net::grpc::Decode<Request>(message);
    if (!request.has_value()) return call.Finish(request.error());
    NoteModel(*request, call);
    const auto response = answer(*environment, *request);
    if (!response.has_value()) return call.Finish(response.error());
    call.Answer(net::grpc::Encode(*response));
  };
  method.message_bytes_max = environment->options.control_bytes_max;
  return method;
}

// A question about a version of a model that must be loaded for the answer.
template <typename Environment, typename Request, typename Response>
struct ModelQuestion {
  base::Result<Response> (*answer)(const Environment&, const Request&);
  // Returns the model and its version
  std::pair<std::string, std::string> (*about)(const Environment&, const Request&);
};

// One call with such a question. Loop-bound.
template <typename Environment, typename Request, typename Response>
struct ModelQuestionCall {
  ModelQuestion<Environment, Request, Response> question;
  std::shared_ptr<const Environment> environment;
  Call call;
  Request request;
  int64_t deadline_ns;

  static void Answer(std::unique_ptr<ModelQuestionCall> self) {
    const auto response = self->question.answer(*self->environment, self->request);
    if (response.has_value()) return self->call.Answer(net::grpc::Encode(*response));
    core::Dispatcher& dispatcher = self->environment->dispatcher;
    const auto [model, version] = self->question.about(*self->environment, self->request);
    const bool loads = response.error().code() != base::StatusCode::kInvalidArgument &&
                       dispatcher.LoadsOnDemand(model, version) && !dispatcher.Find(model, version).has_value();
    if (!loads) return self->call.Finish(response.error());
    const auto cancel = std::make_shared<core::CancelFlag>();
    self->call.responder().OnCancelled([cancel] { cancel->Cancel(); });
    net::Loop& loop = self->call.loop();
    core::LoadDemand demand{
        .model = model, .version = version, .deadline_ns = self->deadline_ns, .cancel = cancel, .done = nullptr};
    call::AwaitLoad(dispatcher, loop, std::move(demand), std::move(self),
                    [](std::unique_ptr<ModelQuestionCall> waiting, core::LoadOutcome&& outcome) {
                      if (!outcome.status.ok()) return waiting->call.Finish(outcome.status, outcome.retry_after_ms);
                      Answer(std::move(waiting));
                    });
  }
};

// Answers at once or, for models that are loaded on demand, when the model has been loaded for the call.
template <typename Environment, typename Request, typename Response>
net::grpc::Method OnceLoaded(const std::shared_ptr<const Environment>& environment, std::string path,
                             base::Result<Response> (*answer)(const Environment&, const Request&),
                             std::pair<std::string, std::string> (*about)(const Environment&, const Request&)) {
  using QuestionCall = ModelQuestionCall<Environment, Request, Response>;
  net::grpc::Method method{.path = std::move(path)};
  method.unary = [environment, answer, about](net::grpc::CallContext context, base::BufferSlice message,
                                              net::grpc::Responder responder) {
    Call call(SurroundingsOf(*environment), context, std::move(responder));
    auto request = net::grpc::Decode<Request>(message);
    if (!request.has_value()) return call.Finish(request.error());
    NoteModel(*request, call);
    QuestionCall::Answer(std::unique_ptr<QuestionCall>(new QuestionCall{.question = {.answer = answer, .about = about},
                                                                        .environment = environment,
                                                                        .call = std::move(call),
                                                                        .request = *std::move(request),
                                                                        .deadline_ns = context.deadline_ns}));
  };
  method.message_bytes_max = environment->options.control_bytes_max;
  return method;
}

// Answers UNIMPLEMENTED, naming the missing feature.
template <typename Environment>
net::grpc::Method NotServed(const std::shared_ptr<const Environment>& environment, std::string path, std::string what) {
  net::grpc::Method method{.path = std::move(path)};
  method.unary = [environment, what = std::move(what)](net::grpc::CallContext context, base::BufferSlice,
                                                       net::grpc::Responder responder) {
    Call(SurroundingsOf(*environment), context, std::move(responder)).Finish(base::Unimplemented(what));
  };
  method.message_bytes_max = environment->options.control_bytes_max;
  return method;
}

}  // namespace inferd::rpc
