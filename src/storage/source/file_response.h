#pragma once

#include "base/status.h"
#include "storage/source/source.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// Reads a file's range over HTTP from `request`, whose range is set here, and holds the answer against what was listed:
// the status, the tag (ETag, else Last-Modified; none in the answer: not compared), and the whole of Content-Range: its
// unit, its begin and end, and the file's size. A part that was not asked for is refused. `name` is what errors call the
// file. Errors are Source::Read's.
base::Status FetchFile(const FetchClient& client, FetchRequest request, const RemoteFile& file, const ByteRange& range,
                       const std::string& name, const ByteSink& sink, const std::stop_token& stop);

// ETag, else Last-Modified, as sent.
std::string TagOf(const ResponseHead& head);

// The size of the whole file, from "bytes 0-0/1234" in Content-Range or, of a whole answer, from Content-Length;
// nullopt: it does not say.
std::optional<uint64_t> SizeOfFile(const ResponseHead& head);

// A file that is no longer the one that was listed: ABORTED. `name` is what errors call it.
base::Status ChangedMeanwhile(const std::string& name);

// KServe's storage initializer, word for word.
std::string ResponseCodeText(const std::string& name, int status);

}  // namespace inferd::storage
