#include "storage/azure/azure_signing.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <string_view>

#include "base/text/base64.h"
#include "base/text/percent.h"
#include "storage/source/uri.h"

namespace inferd::storage {

namespace {

// Returns the parameters sorted by name, decoded, one per line.
std::string SignedParameters(std::string_view query) {
  std::map<std::string, std::string> parameters;
  for (size_t begin = 0; begin < query.size();) {
    const size_t end = std::min(query.find('&', begin), query.size());
    const std::string_view one = query.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = std::min(one.find('='), one.size());
    parameters[base::PercentDecoded(one.substr(0, equals))] =
        base::PercentDecoded(one.substr(std::min(equals + 1, one.size())));
  }
  std::string text;
  for (const auto& [name, value] : parameters) text += "\n" + name + ":" + value;
  return text;
}

std::string SignedHeaders(const FetchRequest& request) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : request.headers) {
    if (name.starts_with("x-ms-")) headers[name] = value;
  }
  std::string text;
  for (const auto& [name, value] : headers) text += name + ":" + value + "\n";
  return text;
}

std::string RangeText(const FetchRequest& request) {
  if (!request.range.has_value()) return {};
  std::string text = "bytes=" + std::to_string(request.range->begin) + "-";
  if (request.range->end.has_value()) text += std::to_string(*request.range->end - 1);
  return text;
}

}  // namespace

std::string HttpDate(std::chrono::sys_seconds time) {
  constexpr size_t kDateBytes = 64;
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, kDateBytes> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return std::string(text.data(), size);
}

std::string AzureStringToSign(const std::string& account, const FetchRequest& request) {
  const UriParts url = SplitUri(request.url);
  // Between the method and the range are ten headers that our requests never have.
  return request.method + "\n\n\n\n\n\n\n\n\n\n\n" + RangeText(request) + "\n" + SignedHeaders(request) + "/" +
         account + std::string(url.path) + SignedParameters(url.query);
}

base::Status SignForAzure(const AzureAccountKey& key, FetchRequest& request) {
  std::string secret = key.key;
  const auto secret_bytes = base::DecodeBase64(secret, secret.data());
  if (!secret_bytes.has_value() || *secret_bytes == 0) {
    return base::InvalidArgument("AZURE_STORAGE_ACCESS_KEY is no account's key");
  }
  const std::string text = AzureStringToSign(key.account, request);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(*secret_bytes),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  std::string signature(base::Base64Size(size), '\0');
  base::EncodeBase64({reinterpret_cast<const char*>(digest.data()), size}, signature.data());
  request.headers.emplace_back("Authorization", "SharedKey " + key.account + ":" + signature);
  return {};
}

}  // namespace inferd::storage
