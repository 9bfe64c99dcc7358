#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// One file over HTTP or HTTPS, by the rules of KServe's storage initializer. Its name is the path's last component. The
// end of the path, or of the parameters, tells whether it is an archive. The response's Content-Type must fit:
// application/zip and similar, application/x-tar and similar, else application/octet-stream. Requests have the headers
// of the JSON object in the environment's "<host>-headers".
class HttpSource final : public Source {
 public:
  // INVALID_ARGUMENT if the URI has no file name, or the headers are not a JSON object of strings.
  static base::Result<std::unique_ptr<Source>> Open(const std::string& uri, const Environment& environment);

  std::string Place() const override { return "http"; }  // the key is the URL
  base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) override;
  base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                    const std::stop_token& stop) override;

 private:
  HttpSource(FetchRequest request, std::string shown, std::string file_name, ArchiveKind archive);
  base::Status CheckContentType(const ResponseHead& head) const;

  const FetchRequest request_;  // for the whole file
  const std::string shown_;     // the URI without secrets
  const std::string file_name_;
  const ArchiveKind archive_;
  const FetchClient client_{FetchClient::Options{}};
};

}  // namespace inferd::storage
