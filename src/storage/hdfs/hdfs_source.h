#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/hdfs/hdfs_listing.h"
#include "storage/hdfs/hdfs_settings.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// A file or a folder in HDFS, over WebHDFS or HttpFS. Requests go to the name node, which redirects to the data nodes
// that have the bytes. If a name node does not answer, or is only in standby, the caller's next try goes to the next
// name node.
class HdfsSource final : public Source {
 public:
  // Errors are ReadHdfsSettings()'s.
  static base::Result<std::unique_ptr<Source>> Open(const std::string& uri, const Environment& environment);

  std::string Place() const override;
  // RESOURCE_EXHAUSTED if there are more than a million files and folders, or folders nested deeper than 32.
  // FAILED_PRECONDITION for a symbolic link.
  base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) override;
  base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                    const std::stop_token& stop) override;

 private:
  struct Folder;
  HdfsSource(std::string name, HdfsSettings settings);
  std::string KeyOf(const std::string& path) const;  // of a path below the model's
  std::string Url(size_t node, std::string_view path, std::string_view operation) const;
  base::Result<std::string> Ask(std::string_view path, std::string_view operation, const std::stop_token& stop);
  base::Result<HdfsStatus> StatusOf(const std::string& path, const std::stop_token& stop);
  base::Result<std::vector<HdfsStatus>> EntriesOf(const Folder& folder, const std::stop_token& stop);
  base::Result<std::vector<RemoteFile>> Walk(const std::stop_token& stop);

  const std::string name_;  // the URI without secrets
  const HdfsSettings settings_;
  const FetchClient client_;
  std::atomic<size_t> node_{0};  // index of the name node for requests
};

}  // namespace inferd::storage
