#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// One file over HTTP or HTTPS, by the rules of KServe's storage initializer: it is called as the path's last part;
// whether it is an archive is told by the end of the path, or of the parameters; and the answer's Content-Type must fit
// that: application/zip and its like, application/x-tar and its like, else application/octet-stream. Requests have the
// headers of the JSON object in the environment's "<host>-headers".
class HttpSource final : public Source {
 public:
  // INVALID_ARGUMENT: no file name in the URI, or headers that are no JSON object of strings.
  static base::Result<std::unique_ptr<Source>> Open(const std::string& uri, const Environment& environment);

  std::string Place() const override { return "http"; }  // the key is the URL
  base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) override;
  base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                    const std::stop_token& stop) override;

 private:
  HttpSource(FetchRequest request, std::string shown, std::string file_name, ArchiveKind archive);
  base::Status CheckContentType(const ResponseHead& head) const;

  const FetchRequest request_;  // of the whole file
  const std::string shown_;     // the URI without what may be secret
  const std::string file_name_;
  const ArchiveKind archive_;
  const FetchClient client_{FetchClient::Options{}};
};

}  // namespace inferd::storage
