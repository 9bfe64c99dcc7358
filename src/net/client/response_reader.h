#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace inferd::net {

// Finds the end and the status of each HTTP/1.1 response on a connection. It does only what a cheap load generator
// needs: it skips the body, except for the first bytes of an error response.
class ResponseReader {
 public:
  enum class State : uint8_t { kMore, kDone, kBroken };

  // Takes bytes from the front of `data`. Returns kDone if a response has ended: then call Reset(), and call again with
  // the remaining bytes.
  State Read(std::string_view& data);
  void Reset();

  int status() const { return status_; }
  bool keep_alive() const { return keep_alive_; }
  const std::string& error_body() const { return error_body_; }

 private:
  enum class Part : uint8_t { kHead, kBody, kChunkSize, kChunkData, kChunkEnd, kTrailer };
  static constexpr size_t kHeadBytesMax = 64 * 1024;
  static constexpr size_t kKeptBytesMax = 512;

  bool ParseHead(std::string_view head);
  // Collects a line into line_, of at most kHeadBytesMax bytes. Returns true once it is complete (without its CR LF).
  bool TakeLine(std::string_view& data);
  void Keep(std::string_view body);

  Part part_ = Part::kHead;
  std::string line_;  // an unfinished head or line
  uint64_t body_left_ = 0;
  bool chunked_ = false;
  bool keep_alive_ = true;
  int status_ = 0;
  std::string error_body_;
};

}  // namespace inferd::net
