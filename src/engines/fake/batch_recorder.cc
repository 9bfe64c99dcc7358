#include "engines/fake/batch_recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include "engines/fake/fake_model.h"

namespace inferd::fake {

namespace {

void AppendText(std::string& line, inferd_text text) {
  constexpr char kHex[] = "0123456789abcdef";
  line += '"';
  for (const char c : std::string_view(text.data, text.size)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      line.append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    } else {
      if (c == '"' || c == '\\') line += '\\';
      line += c;
    }
  }
  line += '"';
}

template <typename Append>
void AppendList(std::string& line, size_t count, Append append) {
  line += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) line += ',';
    append(i);
  }
  line += ']';
}

void AppendInput(std::string& line, const inferd_input& input, const inferd_signature& signature) {
  AppendText(line, signature.inputs[input.index]->name);
  line += ":{\"shape\":";
  AppendList(line, input.rank, [&](size_t i) { line += std::to_string(input.shape[i]); });
  line += ",\"pieces\":";
  AppendList(line, input.piece_count, [&](size_t i) { line += std::to_string(input.pieces[i].size); });
  if (input.piece_count > 0 && input.pieces[0].kind == INFERD_MEMORY_GPU) {
    line += ",\"gpu\":" + std::to_string(input.pieces[0].device);
  }
  line += '}';
}

}  // namespace

base::Result<std::unique_ptr<BatchRecorder>> BatchRecorder::Open(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return std::unexpected(base::InvalidArgument("record_batches_file '" + file.string() +
                                                 "' cannot be written: " + std::strerror(errno)));
  }
  const int64_t load = std::chrono::steady_clock::now().time_since_epoch().count();
  return std::unique_ptr<BatchRecorder>(new BatchRecorder(descriptor, load));
}

BatchRecorder::~BatchRecorder() { close(descriptor_); }

void BatchRecorder::Begin(const inferd_host* host, const inferd_batch* batch, const inferd_instance& instance,
                          int64_t number) const {
  std::string line = "{\"begin\":" + std::to_string(number) + ",\"load\":" + std::to_string(load_) +
                     ",\"instance\":" + std::to_string(instance.ordinal) + ",\"name\":";
  AppendText(line, {instance.name.data(), instance.name.size()});
  line += ",\"place\":\"" + instance.place + "\",\"rows\":";
  AppendList(line, batch->request_count, [&](size_t i) { line += std::to_string(batch->rows[i]); });
  line += ",\"ids\":";
  AppendList(line, batch->request_count, [&](size_t i) { AppendText(line, host->request_id(batch, i)); });
  line += ",\"inputs\":{";
  for (size_t i = 0; i < batch->input_count; ++i) {
    if (i > 0) line += ',';
    AppendInput(line, *batch->inputs[i], instance.model->signature);
  }
  Write(line + "}}\n");
}

void BatchRecorder::End(const inferd_host* host, const inferd_batch* batch, int64_t number, int32_t code) const {
  std::string line = "{\"end\":" + std::to_string(number) + ",\"load\":" + std::to_string(load_) +
                     ",\"code\":" + std::to_string(code) + ",\"cancelled\":";
  AppendList(line, batch->request_count,
             [&](size_t i) { line += host->is_cancelled(batch, i) != 0 ? "true" : "false"; });
  Write(line + "}\n");
}

// Writes with one call: the kernel keeps appended lines whole. The test must notice what a full disk loses.
void BatchRecorder::Write(const std::string& line) const {
  while (write(descriptor_, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

}  // namespace inferd::fake
