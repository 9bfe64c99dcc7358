// Fuzzes the inputs of src/kserve/kubernetes: kubeconfigs, the output of credential plug-ins, error answers, and
// watches. A watch must give the same events for any division of its bytes into pieces.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/print.h"
#include "fuzz/require.h"
#include "kserve/kubernetes/access/exec_credential.h"
#include "kserve/kubernetes/access/kubeconfig.h"
#include "kserve/kubernetes/api/object_meta.h"
#include "kserve/kubernetes/api/time_text.h"
#include "kserve/kubernetes/api/watch_decoder.h"

namespace inferd::fuzz {
namespace {

using kubernetes::ApiResult;

constexpr size_t kLineBytesMax = 4096;

// Returns the events of a watch, and its end, as one text.
std::string Decode(std::string_view text, size_t piece) {
  std::string seen;
  kubernetes::WatchDecoder decoder(kLineBytesMax);
  const auto sink = [&](const kubernetes::WatchEvent& event) -> ApiResult<void> {
    Require(!kubernetes::ResourceVersionOf(event.object).empty(), "an event without a version");
    seen += std::to_string(static_cast<int>(event.type)) + manifest::ToJson(event.object) + "\n";
    return {};
  };
  for (size_t at = 0; at < text.size(); at += piece) {
    const auto fed = decoder.Feed(text.substr(at, piece), sink);
    if (!fed.has_value()) return seen + fed.error().ToString();
  }
  return seen;
}

void CheckKubeconfig(std::string_view text) {
  const auto config = kubernetes::ReadKubeconfig(text, "/folder/file");
  if (!config.has_value()) return RequireRefused(config.error());
  for (const auto& [name, context] : config->contexts) {
    const auto access = kubernetes::ResolveContext(*config, name);
    if (!access.has_value()) {
      RequireRefused(access.error());
      continue;
    }
    Require(access->server.starts_with("http"), "a server that is no URL");
    const kubernetes::UserAccess& user = access->user;
    for (const std::string& file :
         {access->authorities_file, user.token_file, user.certificate_file, user.private_key_file}) {
      Require(file.empty() || file.starts_with('/'), "a file of no folder");
    }
  }
}

void CheckError(std::string_view text) {
  const kubernetes::ApiError error = kubernetes::ErrorOfAnswer(500, text, text);
  Require(error.code == 500 && error.message.size() <= 4096, "an error that is another");
  for (const char c : error.message) Require(static_cast<unsigned char>(c) >= ' ', "a control character in a message");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  const std::vector<char> copy(data, data + size);
  const std::string_view text(copy.data(), copy.size());
  fuzz::CheckKubeconfig(text);
  fuzz::CheckError(text);
  static_cast<void>(kubernetes::ParseExecCredential(text, "client.authentication.k8s.io/v1"));
  static_cast<void>(kubernetes::ParseTime(text));
  const std::string whole = fuzz::Decode(text, size + 1);
  for (const size_t piece : {size_t{1}, size_t{7}}) fuzz::Require(fuzz::Decode(text, piece) == whole, "pieces matter");
  return 0;
}
