#include "protocols/oip_grpc/service.h"

#include <google/protobuf/stubs/logging.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "protocols/oip_grpc/call.h"
#include "protocols/oip_grpc/codec/infer_request_reader.h"
#include "protocols/oip_grpc/control_methods.h"
#include "protocols/oip_grpc/infer_call.h"
#include "protocols/oip_grpc/infer_stream.h"
#include "protocols/oip_grpc/service_path.h"

namespace inferd::oip_grpc {

using net::grpc::CallContext;
using net::grpc::Method;
using net::grpc::Responder;

namespace {

void StartInference(const std::shared_ptr<const Environment>& environment, CallContext&& context,
                    base::BufferSlice message, Responder responder) {
  rpc::InferCall::Start(std::make_unique<InferCall>(environment, std::move(context), std::move(responder)),
                        std::move(message));
}

// For tests of clients that go before their call is taken up (config::GrpcDelays).
void StartLater(std::chrono::milliseconds delay, const std::shared_ptr<const Environment>& environment,
                CallContext&& context, base::BufferSlice message, Responder responder) {
  const auto gone = std::make_shared<bool>(false);
  responder.OnCancelled([gone] { *gone = true; });
  net::Loop& loop = responder.loop();
  loop.RunAfter(delay, [gone, environment, context = std::move(context), message = std::move(message),
                        responder = std::move(responder)]() mutable {
    Responder own = std::move(responder);
    if (!*gone) StartInference(environment, std::move(context), std::move(message), std::move(own));
  });
}

Method ModelInfer(const std::shared_ptr<const Environment>& environment) {
  Method method{.path = PathOf("ModelInfer")};
  method.unary = [environment](CallContext&& context, base::BufferSlice message, Responder responder) {
    const std::chrono::milliseconds delay = environment->options.delays.call;
    if (delay.count() == 0) {
      return StartInference(environment, std::move(context), std::move(message), std::move(responder));
    }
    StartLater(delay, environment, std::move(context), std::move(message), std::move(responder));
  };
  method.align_at = TensorBytesAt;
  return method;
}

Method ModelStreamInfer(const std::shared_ptr<const Environment>& environment) {
  const auto set = std::make_shared<StreamSet>();
  Method method{.path = PathOf("ModelStreamInfer")};
  method.streaming = [environment, set](CallContext&& context, Responder responder) {
    return std::make_unique<InferStream>(environment, set, std::move(context), std::move(responder));
  };
  method.on_drain = [set] {
    for (InferStream* stream : set->streams) stream->Drain();
  };
  method.align_at = TensorBytesAt;
  return method;
}

// Delays the start of control calls.
void DelayControlCalls(std::chrono::milliseconds delay, std::span<Method> methods) {
  for (Method& method : methods) {
    const auto unary = std::make_shared<decltype(method.unary)>(std::move(method.unary));
    method.unary = [delay, unary](CallContext&& context, base::BufferSlice message, Responder responder) {
      net::Loop& loop = responder.loop();
      loop.RunAfter(delay, [unary, context = std::move(context), message = std::move(message),
                            responder = std::move(responder)]() mutable {
        (*unary)(std::move(context), std::move(message), std::move(responder));
      });
    };
  }
}

// Writes a verbose line for each call, in the words of Triton's server, which numbers them.
void LogCalls(const std::shared_ptr<const Environment>& environment, std::vector<Method>& methods) {
  static std::atomic<uint64_t> calls{0};
  for (Method& method : methods) {
    const std::string name = method.path.substr(PathOf("").size());
    const bool infers = name == "ModelInfer" || name == "ModelStreamInfer";
    const auto log = [environment, name = infers ? name + "Handler" : name] {
      if (!environment->logger.Enabled(base::LogLevel::kVerbose)) return;
      environment->logger.Verbose("Process for " + name + ", rpc_ok=1, " +
                                  std::to_string(calls.fetch_add(1, std::memory_order_relaxed) + 1) + " step START");
    };
    if (method.unary != nullptr) {
      method.unary = [log, unary = std::move(method.unary)](CallContext&& context, base::BufferSlice message,
                                                            Responder responder) mutable {
        log();
        unary(std::move(context), std::move(message), std::move(responder));
      };
    } else {
      method.streaming = [log, streaming = std::move(method.streaming)](CallContext&& context,
                                                                        Responder responder) mutable {
        log();
        return streaming(std::move(context), std::move(responder));
      };
    }
  }
}

}  // namespace

std::vector<Method> Methods(Environment environment) {
  // Errors in a client's message are reported to the client, not on stderr.
  [[maybe_unused]] static const auto silenced = google::protobuf::SetLogHandler(nullptr);
  const auto shared = std::make_shared<const Environment>(environment);
  std::vector<Method> methods;
  methods.push_back(ModelInfer(shared));
  methods.push_back(ModelStreamInfer(shared));
  const size_t inferences = methods.size();
  AddControlMethods(shared, methods);
  if (const auto delay = shared->options.delays.control; delay.count() > 0) {
    DelayControlCalls(delay, std::span(methods).subspan(inferences));
  }
  if (shared->options.triton_exact) LogCalls(shared, methods);
  return methods;
}

}  // namespace inferd::oip_grpc
