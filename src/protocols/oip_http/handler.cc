#include "protocols/oip_http/handler.h"

#include <algorithm>
#include <utility>

#include "data/json/writer.h"
#include "protocols/call/ask_model_ready.h"
#include "protocols/call/tracing.h"
#include "protocols/oip_http/call.h"
#include "protocols/oip_http/codec/control_requests.h"
#include "protocols/oip_http/codec/infer_headers.h"
#include "protocols/oip_http/codec/model_json.h"
#include "protocols/oip_http/codec/scheduler_json.h"
#include "protocols/oip_http/generate_call.h"
#include "protocols/oip_http/health.h"
#include "protocols/oip_http/infer_call.h"
#include "protocols/oip_http/path_advice.h"
#include "protocols/oip_http/region_calls.h"
#include "protocols/oip_http/request_advice.h"
#include "protocols/oip_http/router.h"
#include "protocols/rest/error_response.h"
#include "protocols/rest/model_names.h"
#include "protocols/rest/once_loaded.h"
#include "protocols/v2/carried_types.h"
#include "protocols/v2/extensions.h"
#include "protocols/v2/statistics.h"
#include "serving/core/model/refused_load.h"

namespace inferd::oip_http {

namespace {

constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kUnsupportedMediaType = 415;
constexpr int kNotImplemented = 501;

net::HttpResponse DetailResponse(int status, std::string_view text) {
  json::Writer writer(32 + text.size());
  writer.BeginObject();
  writer.Member("detail", text);
  writer.EndObject();
  net::HttpResponse response = rest::JsonResponse(writer.TakeString());
  response.status = status;
  return response;
}

net::HttpResponse NoSuchRoute(const Options& options, const RouteResult& route, const net::RequestHead& head) {
  const int status = route.allow.empty() ? kNotFound : kMethodNotAllowed;
  std::string text = route.allow.empty() ? options.texts.not_found : options.texts.method_not_allowed;
  if (options.advice) {
    text += ": " +
            (route.allow.empty() ? PathAdvice(head.target, head.segments) : MethodAdvice(route.allow, head.segments));
  }
  net::HttpResponse response;
  if (options.detail_bodies) {
    response = DetailResponse(status, text);
  } else if (route.allow.empty()) {
    response = rest::ErrorResponse(options, base::NotFound(text));
  } else {
    response = rest::ErrorResponse(status, text);
  }
  if (!route.allow.empty()) response.headers.emplace_back("Allow", route.allow);
  return response;
}

// Returns a control call's result for a model, as in KServe's servers: {"name": "m", "load": true}.
net::HttpResponse ControlResponse(const Options& options, std::string_view model, std::string_view done) {
  if (!options.control_bodies) return {};
  json::Writer writer(64 + model.size());
  writer.BeginObject();
  writer.Member("name", model);
  writer.Member(done, true);
  writer.EndObject();
  return rest::JsonResponse(writer.TakeString());
}

// Answers a control call, on any thread. `done` names the action; it is a literal.
void AnswerControl(Call call, std::string model, std::string_view done, base::Status status) {
  net::Loop& loop = call.loop();
  loop.Post([call = std::move(call), model = std::move(model), done, status = std::move(status)]() mutable {
    if (status.ok()) return call.Send(ControlResponse(call.options(), model, done));
    call.Fail(status);
  });
}

class Handler final : public net::HttpHandler {
 public:
  explicit Handler(Environment environment)
      : environment_(std::make_shared<const Environment>(std::move(environment))), options_(environment_->options) {}

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    const RouteResult route = FindRoute(head.method, head.segments);
    if (!route.found) return Refuse(head, {}, NoSuchRoute(options_, route, head));
    const base::Status access = Admit(route.route.endpoint, head);
    if (!access.ok()) return Refuse(head, route.route, rest::ErrorResponse(options_, access));
    net::BodyPlan plan;
    plan.bytes_max = options_.body_bytes_max;
    if (route.route.endpoint == Endpoint::kModelLoad) return plan;
    if (GroupOf(route.route.endpoint) != access::Group::kInference) {
      plan.bytes_max = std::min(options_.body_bytes_max, options_.control_bytes_max);
      return plan;
    }
    bool unknown_coding = false;
    const auto headers = ReadInferHeaders(head, unknown_coding);
    if (!headers.has_value()) {
      return Refuse(head, route.route,
                    unknown_coding ? UnknownCoding(headers.error()) : rest::ErrorResponse(options_, headers.error()));
    }
    if (headers->coding != net::ContentCoding::kIdentity || route.route.endpoint != Endpoint::kInfer) return plan;
    plan.align_at = static_cast<size_t>(headers->json_bytes.value_or(0));
    const uint64_t bytes = head.content_length.value_or(0);
    if (headers->json_bytes.has_value() && bytes >= core::InputMemory::kWorthwhileBytes && bytes <= plan.bytes_max) {
      plan.memory = MemoryFor(route.route, static_cast<size_t>(bytes), plan.align_at);
    }
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    if (options_.triton_exact && environment_->logger.Enabled(base::LogLevel::kVerbose)) LogRequest(request.head);
    Call call(environment_, request.head, request.received_ns, std::move(reply));
    const RouteResult found = FindRoute(request.head.method, request.head.segments);
    if (!found.found) return call.Send(NoSuchRoute(options_, found, request.head));
    const Route& route = found.route;
    call.SetModel(route.model, route.version);
    if (options_.triton_exact && !route.repository.empty()) {
      return call.Send(rest::ErrorResponse(options_, base::Unimplemented(std::string(v2::kNoRepositoryNames))));
    }
    switch (route.endpoint) {
      case Endpoint::kInfer: {
        return InferCall::Start(std::make_unique<InferCall>(std::move(call), route), std::move(request));
      }
      case Endpoint::kGenerate:
      case Endpoint::kGenerateStream: {
        return GenerateCall::Start(std::make_unique<GenerateCall>(std::move(call), route), std::move(request));
      }
      case Endpoint::kModelLoad: return Load(std::move(call), route, std::move(request));
      case Endpoint::kModelUnload: return Unload(std::move(call), route, request);
      case Endpoint::kModelMetadata:
      case Endpoint::kModelConfig: return Describe(std::move(call), route);
      case Endpoint::kModelReady: return AnswerReady(std::move(call), route, request.head);
      case Endpoint::kMetrics: return SendMetrics(std::move(call));
      default: return call.Send(Answer(route, request));
    }
  }

 private:
  // Also names the supported codings (RFC 9110, 12.5.3).
  net::HttpResponse UnknownCoding(const base::Status& status) const {
    net::HttpResponse response =
        rest::ErrorResponse(options_.triton_exact ? kNotImplemented : kUnsupportedMediaType, status.message());
    response.headers.emplace_back("Accept-Encoding", "gzip, deflate");
    return response;
  }

  // In the words of Triton's server, which has a number for the method.
  void LogRequest(const net::RequestHead& head) const {
    environment_->logger.Verbose("HTTP request: " + std::string(head.method == net::Method::kPost ? "2" : "0") + " " +
                                 std::string(head.target));
  }

  // Returns memory for a body with binary tensors. An unknown model is reported when the body has arrived.
  base::Buffer MemoryFor(const Route& route, size_t bytes, size_t align_at) const {
    const auto found = environment_->dispatcher.Find(route.model, route.version);
    core::InputMemory* const memory = found.has_value() ? (*found)->input_memory() : nullptr;
    return memory == nullptr ? base::Buffer() : memory->Allocate(bytes, align_at);
  }

  base::Status Admit(Endpoint endpoint, const net::RequestHead& head) const {
    const access::Group group = GroupOf(endpoint);
    if (const auto control = ControlOf(endpoint, head.method)) {
      return environment_->access.CheckControl(group, *control, head);
    }
    return environment_->access.Check(group, head);
  }

  net::BodyPlan Refuse(const net::RequestHead& head, const Route& route, net::HttpResponse response) const {
    rest::LogRefusal(options_, environment_->logger, head, response, {.model = route.model, .version = route.version});
    net::BodyPlan plan;
    plan.refuse = std::move(response);
    return plan;
  }

  // Answers endpoints that need no waiting.
  net::HttpResponse Answer(const Route& route, const net::HttpRequest& request) const {
    const core::Catalog& catalog = environment_->catalog;
    switch (route.endpoint) {
      case Endpoint::kServerLive: return ServerLiveResponse(options_, request.head, catalog);
      case Endpoint::kServerReady: return ServerReadyResponse(options_, request.head, catalog);
      case Endpoint::kModelNames: return rest::JsonResponse(rest::ModelNamesJson(catalog.ModelNames()));
      case Endpoint::kModelStatistics:
        return JsonOrError(options_, v2::StatisticsOf(catalog, route.model, route.version, options_.triton_exact),
                           StatisticsJson);
      case Endpoint::kModelScheduler:
        return JsonOrError(options_, catalog.Scheduling(route.model, route.version), SchedulerJson);
      case Endpoint::kRepositoryIndex: return Index(route, request);
      case Endpoint::kRegionStatus:
      case Endpoint::kRegionRegister:
      case Endpoint::kRegionUnregister:
        return AnswerRegionCall(options_, environment_->regions, route, request.body.view());
      case Endpoint::kLogging: return Logging(request);
      case Endpoint::kTraceSetting: return TraceSetting(route, request);
      default:
        return rest::JsonResponse(ServerMetadataJson(
            options_.server_name, options_.server_version,
            options_.triton_exact ? v2::TritonExtensions() : v2::Extensions(environment_->regions != nullptr)));
    }
  }

  template <typename T, typename ToJson>
  static net::HttpResponse JsonOrError(const Options& options, const base::Result<T>& result, ToJson to_json) {
    return result.has_value() ? rest::JsonResponse(to_json(*result)) : rest::ErrorResponse(options, result.error());
  }

  net::HttpResponse Index(const Route& route, const net::HttpRequest& request) const {
    const auto ready_only = ReadIndexRequest(request.body.view());
    if (!ready_only.has_value()) return rest::ErrorResponse(options_, ready_only.error());
    return JsonOrError(options_, environment_->catalog.Index(route.repository, *ready_only), IndexJson);
  }

  net::HttpResponse TraceSetting(const Route& route, const net::HttpRequest& request) const {
    auto tracing = call::TracingOf(environment_->dispatcher, route.model, options_.triton_exact);
    if (!tracing.has_value()) return rest::ErrorResponse(options_, tracing.error());
    if (request.head.method == net::Method::kPost) {
      const auto changes = ReadTraceSettings(request.body.view());
      const base::Status changed = changes.has_value() ? (*tracing)->Change(route.model, *changes) : changes.error();
      if (!changed.ok()) return rest::ErrorResponse(options_, changed);
    }
    return rest::JsonResponse(TraceSettingsJson((*tracing)->InForce(route.model)));
  }

  net::HttpResponse Logging(const net::HttpRequest& request) const {
    base::Logger& logger = environment_->logger;
    if (request.head.method == net::Method::kPost) {
      const auto settings = ReadLogSettings(request.body.view());
      if (!settings.has_value()) return rest::ErrorResponse(options_, settings.error());
      const base::Status applied = v2::ApplyLogSettings(*settings, logger);
      if (!applied.ok()) return rest::ErrorResponse(options_, applied);
    }
    return rest::JsonResponse(LogSettingsJson(logger));
  }

  static void AnswerReady(Call call, const Route& route, const net::RequestHead& head) {
    const core::Catalog& catalog = call.environment().catalog;
    net::Loop& loop = call.loop();
    const bool json = WantsHealthJson(call.options(), head);
    call::AskModelReady(catalog, loop, route.model, route.version, std::move(call),
                        [model = std::string(route.model), json](Call asked, const base::Status& readiness) {
                          asked.Send(ModelReadyResponse(asked.options(), json, model, readiness));
                        });
  }

  // Answers with facts that only a loaded model has.
  static void Describe(Call call, const Route& route) {
    std::string model(route.model);
    std::string version(route.version);
    auto answer = [config = route.endpoint == Endpoint::kModelConfig, model, version](const Call& about) {
      const core::Catalog& catalog = about.environment().catalog;
      const auto advised = [&](auto result) {
        if (!result.has_value() && about.options().advice) {
          const core::VersionName asked{.model = model, .version = version};
          result = std::unexpected(WithModelAdvice(result.error(), asked, catalog));
        }
        return result;
      };
      if (config) {
        return JsonOrError(about.options(), advised(catalog.ConfigJson(model, version)),
                           [](const std::string& json) { return json; });
      }
      return JsonOrError(about.options(), advised(v2::CarriedMetadata(catalog, model, version)), ModelMetadataJson);
    };
    rest::AnswerOnceLoaded(std::move(call), std::move(model), std::move(version), std::move(answer));
  }

  // The call may contain files of any size: they are decoded on the pool.
  void Load(Call call, const Route& route, net::HttpRequest request) {
    environment_->pool.Post([call = std::move(call), model = std::string(route.model),
                             repository = std::string(route.repository), request = std::move(request)]() mutable {
      auto load = ReadLoadRequest(request.body.view(), model, repository);
      if (!load.has_value()) {
        core::LogRefusedLoad(call.environment().logger, model, load.error());
        return AnswerControl(std::move(call), model, "load", std::move(load).error());
      }
      if (load->brings()) {
        auto brought = call.environment().access.CheckBrought(access::Group::kModelRepository, request.head);
        if (!brought.status.ok()) return AnswerControl(std::move(call), model, "load", std::move(brought.status));
        load->may_run_code = brought.may_run_code;
      }
      request = {};
      core::Catalog& catalog = call.environment().catalog;
      catalog.Load(*std::move(load), [call = std::move(call), model](base::Status status) mutable {
        AnswerControl(std::move(call), std::move(model), "load", std::move(status));
      });
    });
  }

  void Unload(Call call, const Route& route, const net::HttpRequest& request) {
    auto unload = ReadUnloadRequest(request.body.view(), route.model, route.repository);
    if (!unload.has_value()) return call.Fail(unload.error());
    environment_->catalog.Unload(
        *std::move(unload), [call = std::move(call), model = std::string(route.model)](base::Status status) mutable {
          AnswerControl(std::move(call), std::move(model), "unload", std::move(status));
        });
  }

  void SendMetrics(Call call) {
    environment_->pool.Post([call = std::move(call)]() mutable {
      net::HttpResponse page = MetricsPage(call.environment().metrics_text);
      net::Loop& loop = call.loop();
      loop.Post([call = std::move(call), page = std::move(page)]() mutable { call.Send(std::move(page)); });
    });
  }

  const std::shared_ptr<const Environment> environment_;
  const Options& options_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeHandler(Environment environment) {
  return std::make_unique<Handler>(std::move(environment));
}

}  // namespace inferd::oip_http
