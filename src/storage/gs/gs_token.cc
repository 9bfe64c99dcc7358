#include "storage/gs/gs_token.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/text/base64.h"
#include "base/text/percent.h"
#include "data/json/read.h"
#include "data/json/writer.h"
#include "storage/gs/gs_listing.h"
#include "storage/source/answer.h"

namespace inferd::storage {

namespace {

constexpr std::string_view kScope = "https://www.googleapis.com/auth/devstorage.read_only";
constexpr int64_t kLifetimeSeconds = 3600;

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};

// Encodes per RFC 4648, section 5, without padding.
std::string Base64Url(std::string_view bytes) {
  std::string text(base::Base64Size(bytes.size()), '\0');
  base::EncodeBase64(bytes, text.data());
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return text;
}

base::Result<std::string> SignRs256(const std::string& text, const std::string& pem) {
  const std::unique_ptr<BIO, FreeKey> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const std::unique_ptr<EVP_PKEY, FreeKey> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  const std::unique_ptr<EVP_MD_CTX, FreeKey> context(EVP_MD_CTX_new());
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  size_t size = 0;
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA ||
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1) {
    return std::unexpected(base::InvalidArgument("the service account's private key is no RSA key"));
  }
  std::vector<unsigned char> signature(size);
  if (EVP_DigestSign(context.get(), signature.data(), &size, bytes, text.size()) != 1) {
    return std::unexpected(base::InvalidArgument("the service account's private key does not sign"));
  }
  return std::string(signature.begin(), signature.begin() + static_cast<std::ptrdiff_t>(size));
}

}  // namespace

base::Result<ServiceAccount> ReadServiceAccount(std::string_view text) {
  ServiceAccount account;
  std::string type;
  const base::Status read =
      json::ReadWholeObject(text, [&](json::Reader& reader, std::string_view key) -> base::Status {
        if (key == "type") return json::ReadText(reader, type);
        if (key == "client_email") return json::ReadText(reader, account.email);
        if (key == "private_key") return json::ReadText(reader, account.private_key);
        if (key == "token_uri") return json::ReadText(reader, account.token_url);
        return reader.SkipValue();
      });
  if (account.token_url.empty()) account.token_url = "https://oauth2.googleapis.com/token";
  // The reader's own message may quote a secret.
  if (read.ok() && type == "service_account" && !account.email.empty() && !account.private_key.empty()) return account;
  return std::unexpected(base::InvalidArgument("it is no service account's file"));
}

base::Result<std::string> SignedAssertion(const ServiceAccount& account, std::chrono::seconds now) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("iss", account.email);
  writer.Member("scope", kScope);
  writer.Member("aud", account.token_url);
  writer.Member("iat", now.count());
  writer.Member("exp", now.count() + kLifetimeSeconds);
  writer.EndObject();
  const std::string claims = writer.TakeString();
  const std::string text = Base64Url(R"({"alg":"RS256","typ":"JWT"})") + "." + Base64Url(claims);
  INFERD_ASSIGN_OR_RETURN(const std::string signature, SignRs256(text, account.private_key));
  return text + "." + Base64Url(signature);
}

base::Result<AccessToken> FetchAccessToken(const ServiceAccount& account, const FetchClient& client,
                                           const std::stop_token& stop) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  INFERD_ASSIGN_OR_RETURN(const std::string assertion, SignedAssertion(account, now));
  FetchRequest request{.method = "POST", .url = account.token_url};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = "grant_type=" + base::PercentEncoded("urn:ietf:params:oauth:grant-type:jwt-bearer", false) +
                 "&assertion=" + assertion;
  const std::string name = "service account " + account.email;
  INFERD_ASSIGN_OR_RETURN(const std::string answer, FetchAnswer(client, request, name, ReadGsError, stop));
  return ReadAccessToken(name, answer);
}

}  // namespace inferd::storage
