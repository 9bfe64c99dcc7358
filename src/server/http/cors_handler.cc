#include "server/http/cors_handler.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "protocols/rest/call.h"

namespace inferd::server {

namespace {

constexpr std::string_view kAny = "*";
constexpr const char* kMethods = "GET, POST";
// Response headers that pages cannot read by default.
constexpr const char* kExposed = "Inference-Header-Content-Length, Retry-After, X-Request-Id";
constexpr const char* kPreflightSeconds = "86400";
constexpr int kNoContent = 204;

using Headers = std::shared_ptr<const net::HeaderList>;

net::HeaderList AllowOrigin(std::string_view origin) {
  net::HeaderList headers = {{"Access-Control-Allow-Origin", std::string(origin)}};
  // Caches must not use a response for another origin.
  if (origin != kAny) headers.emplace_back("Vary", "Origin");
  return headers;
}

class CorsHandler final : public net::HttpHandler {
 public:
  CorsHandler(const std::vector<std::string>& origins, const rest::Options& options, base::Logger& logger,
              std::unique_ptr<net::HttpHandler> inner)
      : options_(options), logger_(logger), inner_(std::move(inner)) {
    for (const std::string& origin : origins) {
      net::HeaderList headers = AllowOrigin(origin);
      headers.emplace_back("Access-Control-Expose-Headers", kExposed);
      (origin == kAny ? for_any_ : for_origin_[origin]) = std::make_shared<const net::HeaderList>(std::move(headers));
    }
    if (for_any_ == nullptr) {
      for_others_ = std::make_shared<const net::HeaderList>(net::HeaderList{{"Vary", "Origin"}});
    }
  }

  net::BodyPlan OnHead(const net::RequestHead& head) override {
    const auto origin = head.Find("Origin");
    const Headers headers = origin.has_value() ? HeadersFor(*origin) : for_others_;
    if (origin.has_value() && headers != for_others_ && IsPreflight(head)) return AnswerPreflight(head, *origin);
    net::BodyPlan plan = inner_->OnHead(head);
    plan.answer_headers = headers;
    return plan;
  }

  void OnRequest(net::HttpRequest request, net::Reply reply) override {
    inner_->OnRequest(std::move(request), std::move(reply));
  }
  void OnDrain() override { inner_->OnDrain(); }

 private:
  const Headers& HeadersFor(std::string_view origin) const {
    if (for_any_ != nullptr) return for_any_;
    const auto known = for_origin_.find(origin);
    return known == for_origin_.end() ? for_others_ : known->second;
  }

  static bool IsPreflight(const net::RequestHead& head) {
    return head.method == net::Method::kOptions && head.Find("Access-Control-Request-Method").has_value();
  }

  net::BodyPlan AnswerPreflight(const net::RequestHead& head, std::string_view origin) const {
    net::HttpResponse response;
    response.status = kNoContent;
    response.headers = AllowOrigin(for_any_ != nullptr ? kAny : origin);
    response.headers.emplace_back("Access-Control-Allow-Methods", kMethods);
    // All requested headers are allowed: their names are arbitrary (--http-header-forward-pattern), and "*" does not
    // cover Authorization.
    if (const auto names = head.Find("Access-Control-Request-Headers"); names.has_value()) {
      response.headers.emplace_back("Access-Control-Allow-Headers", *names);
    }
    response.headers.emplace_back("Access-Control-Max-Age", kPreflightSeconds);
    rest::LogRefusal(options_, logger_, head, response);
    net::BodyPlan plan;
    plan.refuse = std::move(response);
    return plan;
  }

  const rest::Options& options_;
  base::Logger& logger_;
  const std::unique_ptr<net::HttpHandler> inner_;
  Headers for_any_;     // null if origins are listed
  Headers for_others_;  // for requests without an origin, or of an unlisted one; null if any origin is allowed
  std::map<std::string, Headers, std::less<>> for_origin_;
};

}  // namespace

std::unique_ptr<net::HttpHandler> MakeCorsHandler(const std::vector<std::string>& origins, const rest::Options& options,
                                                  base::Logger& logger, std::unique_ptr<net::HttpHandler> inner) {
  return std::make_unique<CorsHandler>(origins, options, logger, std::move(inner));
}

}  // namespace inferd::server
