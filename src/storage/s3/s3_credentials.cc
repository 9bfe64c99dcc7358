#include "storage/s3/s3_credentials.h"

#include <pugixml.hpp>

#include "base/system/regular_file.h"
#include "storage/s3/s3_listing.h"
#include "storage/source/answer.h"
#include "storage/source/form_field.h"

namespace inferd::storage {

namespace {

constexpr size_t kTokenBytesMax = 64 << 10;

base::Result<S3Credentials> ReadAssumedRole(const std::string& xml) {
  pugi::xml_document document;
  document.load_buffer(xml.data(), xml.size());
  const pugi::xml_node found =
      document.child("AssumeRoleWithWebIdentityResponse").child("AssumeRoleWithWebIdentityResult").child("Credentials");
  S3Credentials credentials{.access_key_id = found.child_value("AccessKeyId"),
                            .secret_access_key = found.child_value("SecretAccessKey"),
                            .session_token = found.child_value("SessionToken")};
  if (credentials.access_key_id.empty() || credentials.secret_access_key.empty()) {
    return std::unexpected(base::FailedPrecondition("the Security Token Service's answer has no credentials"));
  }
  return credentials;
}

}  // namespace

base::Result<std::optional<S3Credentials>> FindS3Credentials(const Environment& environment, const std::string& region,
                                                             const FetchClient& client, const std::stop_token& stop) {
  S3Credentials given{.access_key_id = environment("AWS_ACCESS_KEY_ID"),
                      .secret_access_key = environment("AWS_SECRET_ACCESS_KEY"),
                      .session_token = environment("AWS_SESSION_TOKEN")};
  if (!given.access_key_id.empty() && !given.secret_access_key.empty()) return given;
  const std::string role = environment("AWS_ROLE_ARN");
  const std::string token_file = environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (role.empty() || token_file.empty()) return std::nullopt;
  INFERD_ASSIGN_OR_RETURN(const std::string token, base::ReadRegularFile(token_file, kTokenBytesMax));
  std::string session = environment("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "inferd";
  FetchRequest request{.method = "POST", .url = environment("AWS_ENDPOINT_URL_STS")};
  if (request.url.empty()) request.url = "https://sts." + region + ".amazonaws.com";
  request.url += "/";
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15" + FormField("RoleArn", role) +
                 FormField("RoleSessionName", session) + FormField("WebIdentityToken", token);
  INFERD_ASSIGN_OR_RETURN(const std::string answer, FetchAnswer(client, request, "role " + role, ReadS3Error, stop));
  INFERD_ASSIGN_OR_RETURN(S3Credentials credentials, ReadAssumedRole(answer));
  return credentials;
}

}  // namespace inferd::storage
