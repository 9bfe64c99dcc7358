#include "protocols/oip_http/health.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "data/json/writer.h"
#include "protocols/rest/error_response.h"

namespace inferd::oip_http {

namespace {

constexpr int kFalse = 400;

net::HttpResponse WithStatus(net::HttpResponse response, bool value) {
  response.status = value ? 200 : kFalse;
  return response;
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const size_t end = text.find_last_not_of(" \t");
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

// Returns true if an Accept header (RFC 9110, 12.5.1) accepts JSON.
bool TakesJson(std::string_view accept) {
  while (!accept.empty()) {
    const std::string_view item = accept.substr(0, accept.find(','));
    const std::string_view type = Trimmed(item.substr(0, item.find(';')));
    const bool refused = item.find("q=0") != std::string_view::npos && item.find("q=0.") == std::string_view::npos;
    if (!refused && (type == "*/*" || type == "application/*" || type == "application/json")) return true;
    accept.remove_prefix(std::min(item.size() + 1, accept.size()));
  }
  return false;
}

}  // namespace

bool WantsHealthJson(const Options& options, const net::RequestHead& head) {
  if (options.health_bodies != HealthBodies::kAccepted) return options.health_bodies == HealthBodies::kJson;
  const auto accept = head.Find("Accept");
  return accept.has_value() && TakesJson(*accept);
}

net::HttpResponse ServerLiveResponse(const Options& options, const net::RequestHead& head,
                                     const core::Catalog& catalog) {
  const bool live = catalog.ServerLive();
  if (!WantsHealthJson(options, head)) return WithStatus({}, live);
  json::Writer writer(32);
  writer.BeginObject();
  writer.Member("live", live);
  writer.EndObject();
  return WithStatus(rest::JsonResponse(writer.TakeString()), live);
}

net::HttpResponse ServerReadyResponse(const Options& options, const net::RequestHead& head,
                                      const core::Catalog& catalog) {
  const bool ready = catalog.ServerReady();
  if (!WantsHealthJson(options, head)) return WithStatus({}, ready);
  json::Writer writer(32);
  writer.BeginObject();
  writer.Member("live", catalog.ServerLive());
  writer.Member("ready", ready);
  writer.EndObject();
  return WithStatus(rest::JsonResponse(writer.TakeString()), ready);
}

net::HttpResponse ModelReadyResponse(const Options& options, bool wants_json, std::string_view model,
                                     const base::Status& readiness) {
  if (readiness.code() == base::StatusCode::kNotFound) return rest::ErrorResponse(404, readiness.message());
  const bool ready = readiness.ok();
  if (!ready && !options.texts.model_not_ready.empty())
    return rest::ErrorResponse(kFalse, options.texts.model_not_ready);
  if (!wants_json) return WithStatus({}, ready);
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
