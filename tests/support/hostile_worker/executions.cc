#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/support/hostile_worker/behaviours.h"

namespace inferd::support {

namespace {

using tensor::DataType;
using worker::AnswerEntry;
using worker::AnswerKind;
using worker::ChannelHeader;
using worker::kNoBlock;
using worker::MessageWriter;
using worker::PlacedAnswer;
using worker::PlacedTensor;

constexpr size_t kNumberAt = 32 << 10;  // in the answer area, with the message before it
constexpr size_t kTextAt = kNumberAt + 4096;
constexpr std::string_view kWell("\x04\0\0\0well", 8);

std::byte* AnswerArea(const PlacedExecution& placed) { return placed.memory.answer_area().data(); }

void PutText(const PlacedExecution& placed, std::string_view bytes) {
  std::memcpy(AnswerArea(placed) + kTextAt, bytes.data(), bytes.size());
}

AnswerEntry Ended() { return {.kind = static_cast<uint32_t>(AnswerKind::kFinished), .request = 0, .block = kNoBlock}; }

void Post(const PlacedExecution& placed, const AnswerEntry& entry) {
  ChannelHeader& header = placed.memory.header();
  header.ring[header.answers.rung.load() % worker::kRingEntries] = entry;
  header.answers.Ring();
}

// The entry for a message, which is put into the answer area.
AnswerEntry Said(const PlacedExecution& placed, std::string_view text, AnswerKind kind = AnswerKind::kOneFinal) {
  std::memcpy(AnswerArea(placed), text.data(), text.size());
  return {.kind = static_cast<uint32_t>(kind), .request = 0, .block = 1, .offset = 0, .bytes = text.size()};
}

PlacedAnswer WellAnswer(const PlacedExecution& placed) {
  const int32_t number = 7;
  std::memcpy(AnswerArea(placed) + kNumberAt, &number, sizeof(number));
  PutText(placed, kWell);
  return {.outputs = {{.datatype = DataType::kInt32, .shape = {1}, .offset = kNumberAt, .bytes = 4, .block = 2},
                      {.datatype = DataType::kBytes, .shape = {1}, .offset = kTextAt, .bytes = 8, .block = 3}}};
}

std::string Text(const PlacedAnswer& answer) {
  MessageWriter writer;
  WriteAnswer(answer, writer);
  return std::string(writer.text());
}

AnswerEntry Well(const PlacedExecution& placed, AnswerKind kind = AnswerKind::kOneFinal) {
  return Said(placed, Text(WellAnswer(placed)), kind);
}

void AnswerWith(const PlacedExecution& placed, void (*change)(PlacedAnswer& answer)) {
  PlacedAnswer answer = WellAnswer(placed);
  change(answer);
  Post(placed, Said(placed, Text(answer)));
  Post(placed, Ended());
}

void AnswerNumber(const PlacedExecution& placed, void (*change)(PlacedTensor& number)) {
  PlacedAnswer answer = WellAnswer(placed);
  change(answer.outputs[0]);
  Post(placed, Said(placed, Text(answer)));
  Post(placed, Ended());
}

// The output of texts has these bytes, and so many elements.
void AnswerTexts(const PlacedExecution& placed, int64_t elements, std::string_view bytes) {
  PlacedAnswer answer = WellAnswer(placed);
  PutText(placed, bytes);
  answer.outputs[1].shape = {elements};
  answer.outputs[1].bytes = bytes.size();
  Post(placed, Said(placed, Text(answer)));
  Post(placed, Ended());
}

void PostChanged(const PlacedExecution& placed, void (*change)(AnswerEntry& entry)) {
  AnswerEntry entry = Well(placed);
  change(entry);
  Post(placed, entry);
  Post(placed, Ended());
}

// The answer's message, changed.
void PostText(const PlacedExecution& placed, void (*change)(std::string& text)) {
  std::string text = Text(WellAnswer(placed));
  change(text);
  Post(placed, Said(placed, text));
  Post(placed, Ended());
}

std::byte* Begin(const PlacedExecution& placed) {
  return static_cast<std::byte*>(static_cast<void*>(&placed.memory.header()));
}

// Makes zeros of a part of the memory.
void TakeBack(const PlacedExecution& placed, const std::byte* begin, size_t bytes) {
  const auto offset = static_cast<off_t>(begin - Begin(placed));
  const int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  static_cast<void>(::fallocate(placed.memory_file, how, offset, static_cast<off_t>(bytes)));
}

constexpr std::array kExecutions = std::to_array<ExecutionBehaviour>({
    // Entries of the ring.
    {"a_kind_that_there_is_not", [](const auto& placed) { PostChanged(placed, [](auto& it) { it.kind = 77; }); }},
    {"the_largest_kind", [](const auto& placed) { PostChanged(placed, [](auto& it) { it.kind = UINT32_MAX; }); }},
    {"an_answer_to_another_request", [](const auto& placed) { PostChanged(placed, [](auto& it) { it.request = 1; }); }},
    {"an_answer_to_the_largest_request",
     [](const auto& placed) { PostChanged(placed, [](auto& it) { it.request = UINT32_MAX; }); }},
    {"answered_and_answered_again",
     [](const auto& placed) {
       Post(placed, Well(placed));
       Post(placed, Well(placed));
     }},
    {"answered_and_then_for_all",
     [](const auto& placed) {
       Post(placed, Well(placed));
       Post(placed, Well(placed, AnswerKind::kAll));
     }},
    {"answered_for_all_twice",
     [](const auto& placed) {
       Post(placed, Well(placed, AnswerKind::kAll));
       Post(placed, Well(placed, AnswerKind::kAll));
     }},
    {"answered_with_failures_without_end",
     [](const auto& placed) {
       const std::string text = Text({.status = base::NotFound("it")});
       for (;;) {
         Post(placed, Said(placed, text, AnswerKind::kAll));
         std::this_thread::sleep_for(std::chrono::milliseconds(1));
       }
     }},
    {"the_end_without_an_answer", [](const auto& placed) { Post(placed, Ended()); }},
    {"more_answers_than_the_ring_has",
     [](const auto& placed) { placed.memory.header().answers.rung.fetch_add(worker::kRingEntries + 1); }},
    {"an_answer_less_than_there_were", [](const auto& placed) { placed.memory.header().answers.rung.fetch_sub(1); }},
    {"well_the_end_twice",
     [](const auto& placed) {
       AnswerWell(placed);
       Post(placed, Ended());
     }},
    {"well_an_answer_behind_the_end",
     [](const auto& placed) {
       AnswerWell(placed);
       Post(placed, Well(placed));
     }},
    // Where the message lies.
    {"a_message_behind_the_memory",
     [](const auto& placed) { PostChanged(placed, [](auto& it) { it.offset = uint64_t{1} << 20; }); }},
    {"a_message_at_the_last_byte",
     [](const auto& placed) { PostChanged(placed, [](auto& it) { it.offset = (uint64_t{1} << 20) - 1; }); }},
    {"a_message_whose_end_is_beyond_64_bits",
     [](const auto& placed) { PostChanged(placed, [](auto& it) { it.offset = UINT64_MAX - 1; }); }},
    {"a_message_of_all_bytes",
     [](const auto& placed) { PostChanged(placed, [](auto& it) { it.bytes = UINT64_MAX; }); }},
    {"a_message_as_long_as_the_memory",
     [](const auto& placed) { PostChanged(placed, [](auto& it) { it.bytes = uint64_t{1} << 20; }); }},
    {"well_a_message_in_a_block_that_there_is_not",
     [](const auto& placed) { PostChanged(placed, [](auto& it) { it.block = UINT32_MAX - 1; }); }},
    // What it says.
    {"a_message_of_junk", [](const auto& placed) { PostText(placed, [](auto& text) { text.assign(100, '\xff'); }); }},
    {"a_message_of_zeros", [](const auto& placed) { PostText(placed, [](auto& text) { text.assign(100, '\0'); }); }},
    {"half_of_a_message",
     [](const auto& placed) { PostText(placed, [](auto& text) { text.resize(text.size() / 2); }); }},
    {"a_message_with_bytes_behind", [](const auto& placed) { PostText(placed, [](auto& text) { text += 'x'; }); }},
    {"a_code_that_there_is_not", [](const auto& placed) { PostText(placed, [](auto& text) { text[0] = 99; }); }},
    {"a_failure_with_outputs",
     [](const auto& placed) { AnswerWith(placed, [](auto& answer) { answer.status = base::NotFound("it"); }); }},
    {"outputs_without_end",
     [](const auto& placed) { PostText(placed, [](auto& text) { text.replace(12, 8, std::string(8, '\xff')); }); }},
    {"no_outputs", [](const auto& placed) { AnswerWith(placed, [](auto& answer) { answer.outputs.clear(); }); }},
    {"an_output_too_few", [](const auto& placed) { AnswerWith(placed, [](auto& answer) { answer.outputs.pop_back(); }); }},
    {"an_output_too_many",
     [](const auto& placed) {
       AnswerWith(placed, [](auto& answer) { answer.outputs.push_back(PlacedTensor(answer.outputs[0])); });
     }},
    {"a_thousand_outputs",
     [](const auto& placed) {
       AnswerWith(placed, [](auto& answer) { answer.outputs.resize(800, PlacedTensor(answer.outputs[0])); });
     }},
    // Tensors.
    {"another_datatype", [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.datatype = DataType::kFp32; }); }},
    {"a_datatype_that_there_is_not",
     [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.datatype = static_cast<DataType>(200); }); }},
    {"no_datatype", [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.datatype = DataType::kInvalid; }); }},
    {"a_shape_of_more_bytes", [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.shape = {2}; }); }},
    {"a_shape_of_no_bytes", [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.shape = {0}; }); }},
    {"a_shape_beyond_64_bits",
     [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.shape = {INT64_MAX, INT64_MAX}; }); }},
    {"a_shape_below_zero", [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.shape = {-1}; }); }},
    {"a_tensor_behind_the_memory",
     [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.offset = uint64_t{1} << 20; }); }},
    {"a_tensor_across_the_end_of_the_memory",
     [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.offset = (uint64_t{1} << 20) - 2; }); }},
    {"a_tensor_whose_end_is_beyond_64_bits",
     [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.offset = UINT64_MAX - 1; }); }},
    {"a_tensor_of_all_bytes", [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.bytes = UINT64_MAX; }); }},
    {"a_tensor_in_a_block_that_there_is_not",
     [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.block = worker::kBlocksMax; }); }},
    {"a_tensor_in_no_block", [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.block = kNoBlock; }); }},
    {"a_block_without_a_tensor", [](const auto& placed) { AnswerNumber(placed, [](auto& it) { it.bytes = 0; }); }},
    {"well_tensors_in_the_same_place",
     [](const auto& placed) {
       AnswerWith(placed, [](auto& answer) { answer.outputs[0].offset = answer.outputs[1].offset; });
     }},
    // Texts, whose lengths stand before them.
    {"a_text_beyond_its_end", [](const auto& placed) { AnswerTexts(placed, 1, {"\x05\0\0\0well", 8}); }},
    {"a_text_of_4_gigabytes", [](const auto& placed) { AnswerTexts(placed, 1, {"\xff\xff\xff\xffwell", 8}); }},
    {"half_of_a_length", [](const auto& placed) { AnswerTexts(placed, 1, {"\x04\0", 2}); }},
    {"fewer_texts_than_the_shape", [](const auto& placed) { AnswerTexts(placed, 2, kWell); }},
    {"more_texts_than_the_shape", [](const auto& placed) { AnswerTexts(placed, 1, {"\x04\0\0\0well\0\0\0\0", 12}); }},
    {"texts_without_end", [](const auto& placed) { AnswerTexts(placed, INT64_MAX, kWell); }},
    // Parameters.
    {"a_parameter_twice",
     [](const auto& placed) {
       AnswerWith(placed, [](auto& answer) { answer.parameters = {{"a", true}, {"a", true}}; });
     }},
    {"a_parameter_without_a_name",
     [](const auto& placed) { AnswerWith(placed, [](auto& answer) { answer.parameters = {{"", true}}; }); }},
    {"a_parameter_that_is_no_text",
     [](const auto& placed) {
       AnswerWith(placed, [](auto& answer) { answer.parameters = {{"a", std::string("\xff\xfe")}}; });
     }},
    {"a_thousand_parameters",
     [](const auto& placed) {
       AnswerWith(placed, [](auto& answer) {
         for (int i = 0; i < 1000; ++i) answer.parameters.emplace_back(std::to_string(i), true);
       });
     }},
    // The memory that both sides see.
    {"well_memory_that_cannot_be_cut_off",
     [](const auto& placed) {
       for (const int file : {placed.memory_file, placed.bodies_file}) {
         if (::ftruncate(file, 0) == 0) Leave(4);
       }
       AnswerWell(placed);
     }},
    {"well_bodies_that_cannot_be_overwritten",
     [](const auto& placed) {
       const std::string junk(4096, '\xff');
       const bool written = ::pwrite(placed.bodies_file, junk.data(), junk.size(), 0) > 0;
       const int protection = PROT_READ | PROT_WRITE;
       const bool mapped = ::mmap(nullptr, 4096, protection, MAP_SHARED, placed.bodies_file, 0) != MAP_FAILED;
       if (written || mapped) Leave(4);
       AnswerWell(placed);
     }},
    {"well_a_tensor_that_is_taken_back",
     [](const auto& placed) {
       AnswerWell(placed);
       TakeBack(placed, AnswerArea(placed), placed.memory.answer_area().size());
     }},
    {"silent_well_all_of_the_memory_is_taken_back",
     [](const auto& placed) {
       AnswerWell(placed);
       TakeBack(placed, Begin(placed), static_cast<size_t>(AnswerArea(placed) - Begin(placed)));
     }},
    {"well_texts_that_change_while_they_are_read",
     [](const auto& placed) {
       std::thread([memory = &placed.memory] {
         for (;;) (*memory).answer_area()[kTextAt] ^= std::byte{0xff};
       }).detach();
       AnswerWell(placed);
     }},
    {"well_what_the_server_writes_is_overwritten",
     [](const auto& placed) {
       ChannelHeader& header = placed.memory.header();
       header.call_offset = header.call_bytes = header.call_number = UINT64_MAX;
       for (auto& flag : header.cancelled) flag.store(0xff);
       for (auto& released : header.released) released.store(UINT32_MAX);
       header.taken.rung.fetch_add(12345);
       std::memset(placed.memory.call_area().data(), 0xff, placed.memory.call_area().size());
       AnswerWell(placed);
     }},
    {"well_another_thread_than_its_own",
     [](const auto& placed) {
       placed.memory.header().thread.store(::getppid());
       AnswerWell(placed);
     }},
    // What a process does.
    {"leaves", [](const auto&) { Leave(0); }},
    {"leaves_with_an_error", [](const auto&) { Leave(3); }},
    {"leaves_before_it_rings",
     [](const auto& placed) {
       placed.memory.header().ring[0] = Well(placed);
       Leave(0);
     }},
    {"leaves_behind_half_of_a_message",
     [](const auto& placed) {
       AnswerEntry entry = Well(placed);
       entry.bytes /= 2;
       Post(placed, entry);
       Leave(0);
     }},
    {"crashes", [](const auto&) { Crash(); }},
    {"is_killed", [](const auto&) { ::kill(::getpid(), SIGKILL); }},
    {"leaves_a_child_that_has_its_sockets",
     [](const auto&) {
       if (::fork() == 0) {
         for (const int output : {STDOUT_FILENO, STDERR_FILENO}) ::close(output);
         ::sleep(3);  // then it ends by itself
       }
       Leave(0);
     }},
    {"silent_never_answers", [](const auto&) { Stay(); }},
    {"silent_stops", [](const auto&) { ::kill(::getpid(), SIGSTOP); }},
    {"silent_answered_by_a_ring_alone", [](const auto& placed) { placed.memory.header().answers.Ring(); }},
    {"silent_writes_and_rings_not", [](const auto& placed) { placed.memory.header().ring[0] = Well(placed); }},
    {"silent_takes_signals_and_never_answers",
     [](const auto&) {
       for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::signal(signal, SIG_IGN);
       Stay();
     }},
    {"silent_closes_all_that_it_has",
     [](const auto&) {
       ::close_range(3, ~0U, 0);
       Stay();
     }},
    {"silent_answered_and_no_end", [](const auto& placed) { Post(placed, Well(placed)); }},
});

}  // namespace

std::span<const ExecutionBehaviour> ExecutionBehaviours() { return kExecutions; }

void AnswerWell(const PlacedExecution& placed) {
  Post(placed, Well(placed));
  Post(placed, Ended());
}

}  // namespace inferd::support
