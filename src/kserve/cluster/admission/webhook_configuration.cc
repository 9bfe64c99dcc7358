#include "kserve/cluster/admission/webhook_configuration.h"

#include <set>
#include <utility>

#include "base/text/base64.h"
#include "data/manifest/value_path.h"

namespace inferd::cluster {

namespace {

using manifest::Kind;
using manifest::TextAt;
using manifest::Value;

constexpr std::string_view kScheme = "https://";

// Returns the host of a URL: "https://[::1]:9443/x" is "::1". Empty if it is no HTTPS URL.
std::string HostOf(std::string_view url) {
  if (!url.starts_with(kScheme)) return {};
  url.remove_prefix(kScheme.size());
  std::string_view host = url.substr(0, url.find_first_of("/?#"));
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

std::string PathOf(const Value& client) {
  if (const Value* const path = manifest::FieldAt(client, {"service", "path"})) return path->text();
  const std::string& url = TextAt(client, {"url"});
  const size_t begin = url.find('/', kScheme.size());
  return begin == std::string::npos ? std::string() : url.substr(begin, url.find_first_of("?#", begin) - begin);
}

std::string NameOf(const Value& client) {
  if (const Value* const service = client.Find("service"); service != nullptr && service->is(Kind::kMap)) {
    const std::string& name = TextAt(*service, {"name"});
    const std::string& namespace_name = TextAt(*service, {"namespace"});
    return name.empty() || namespace_name.empty() ? std::string() : name + "." + namespace_name + ".svc";
  }
  return HostOf(TextAt(client, {"url"}));
}

// Calls `call` with the clientConfig of each webhook.
template <typename Document, typename Call>
void ForEachClient(Document& configuration, const Call& call) {
  auto* const webhooks = configuration.Find("webhooks");
  if (webhooks == nullptr || !webhooks->is(Kind::kList)) return;
  for (auto& webhook : webhooks->items()) {
    auto* const client = webhook.Find("clientConfig");
    if (client != nullptr && client->is(Kind::kMap)) call(*client);
  }
}

// Returns the non-empty results of `part` for all webhooks, sorted and unique.
std::vector<std::string> SortedOf(const Value& configuration, std::string (*part)(const Value& client)) {
  std::set<std::string> parts;
  ForEachClient(configuration, [&](const Value& client) {
    std::string found = part(client);
    if (!found.empty()) parts.insert(std::move(found));
  });
  return {parts.begin(), parts.end()};
}

}  // namespace

std::vector<std::string> CalledNames(const Value& configuration) { return SortedOf(configuration, &NameOf); }

std::vector<std::string> CalledPaths(const Value& configuration) { return SortedOf(configuration, &PathOf); }

bool SetAuthorities(Value& configuration, std::string_view authorities) {
  std::string encoded(base::Base64Size(authorities.size()), '\0');
  base::EncodeBase64(authorities, encoded.data());
  bool changed = false;
  ForEachClient(configuration, [&](Value& client) {
    if (TextAt(client, {"caBundle"}) == encoded) return;
    client.Set("caBundle", Value::String(encoded));
    changed = true;
  });
  return changed;
}

}  // namespace inferd::cluster
