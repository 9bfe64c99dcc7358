#include "serving/repository/load/checksums.h"

#include <string>

#include "config/model/document_fields.h"
#include "storage/file_digest.h"

namespace inferd::repository {

namespace {

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

base::Status VerifyChecksums(const config::ModelConfig& config, const std::filesystem::path& model_dir) {
  for (const config::FileChecksum& expected : config::FileChecksumsOf(config)) {
    const std::string path = (model_dir / expected.file).string();
    INFERD_ASSIGN_OR_RETURN(const std::string digest, storage::FileDigest(path, expected.algorithm));
    if (digest == Lower(expected.digest)) continue;
    return base::InvalidArgument("Mismatched " + expected.algorithm + " hash for file " + path +
                                 ", expect: " + expected.digest + ", got: " + digest);
  }
  return base::OkStatus();
}

}  // namespace inferd::repository
