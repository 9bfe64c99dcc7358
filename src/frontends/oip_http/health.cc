#include "frontends/oip_http/health.h"

#include <string>

#include "json/writer.h"
#include "rest/error_response.h"

namespace inferd::oip_http {

namespace {

constexpr int kFalse = 400;

net::HttpResponse WithStatus(net::HttpResponse response, bool value) {
  response.status = value ? 200 : kFalse;
  return response;
}

}  // namespace

net::HttpResponse ServerLiveResponse(const Options& options, const core::Catalog& catalog) {
  const bool live = catalog.ServerLive();
  if (options.health_bodies == HealthBodies::kEmpty) return WithStatus({}, live);
  json::Writer writer(32);
  writer.BeginObject();
  writer.Member("live", live);
  writer.EndObject();
  return WithStatus(rest::JsonResponse(writer.TakeString()), live);
}

net::HttpResponse ServerReadyResponse(const Options& options, const core::Catalog& catalog) {
  const bool ready = catalog.ServerReady();
  if (options.health_bodies == HealthBodies::kEmpty) return WithStatus({}, ready);
  json::Writer writer(32);
  writer.BeginObject();
  writer.Member("live", catalog.ServerLive());
  writer.Member("ready", ready);
  writer.EndObject();
  return WithStatus(rest::JsonResponse(writer.TakeString()), ready);
}

net::HttpResponse ModelReadyResponse(const Options& options, const core::Catalog& catalog, std::string_view model,
                                     std::string_view version) {
  const base::Status status = catalog.ModelReady(model, version);
  if (status.code() == base::StatusCode::kNotFound) return rest::ErrorResponse(404, status.message());
  const bool ready = status.ok();
  if (!ready && !options.texts.model_not_ready.empty()) return rest::ErrorResponse(kFalse, options.texts.model_not_ready);
  if (options.health_bodies == HealthBodies::kEmpty) return WithStatus({}, ready);
  json::Writer writer(64 + model.size());
  writer.BeginObject();
  writer.Member("name", model);
  writer.Member("ready", ready);
  writer.EndObject();
  return WithStatus(rest::JsonResponse(writer.TakeString()), ready);
}

net::HttpResponse MetricsPage(const MetricsText& metrics_text) {
  if (!metrics_text) return rest::ErrorResponse(404, "metrics are not served");
  return net::HttpResponse::Text(200, "text/plain; version=0.0.4; charset=utf-8", metrics_text());
}

}  // namespace inferd::oip_http
