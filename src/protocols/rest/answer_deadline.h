#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "net/http/http.h"
#include "net/loop/loop.h"
#include "protocols/rest/options.h"

namespace inferd::rest {

// The deadline of an exchange's response. When it passes, the exchange is taken from its handler, which sees that its
// peer is gone, and the deadline itself answers. Loop-bound; shared by the call and its timer. Options and clock must
// outlive it.
//
//   open --Close--> closed
//     +--Arm--> armed --Close--> closed
//                 +--time is up--> expired --Close--> expired
class AnswerDeadline final : public std::enable_shared_from_this<AnswerDeadline> {
 public:
  using MakeAnswer = net::HttpResponse (*)(const Options& options);

  // The deadline is `options.inference_timeout_ns` from now.
  AnswerDeadline(const Options& options, const base::Clock& clock, MakeAnswer make_answer)
      : options_(options),
        clock_(clock),
        make_answer_(make_answer),
        at_ns_(clock.NowNs() + options.inference_timeout_ns) {}

  int64_t at_ns() const { return at_ns_; }  // base::Clock::NowNs
  bool expired() const { return state_ == State::kExpired; }
  net::HttpResponse Answer() const { return make_answer_(options_); }

  // Sets the exchange. Call before Arm().
  void Watch(const net::Reply& reply);
  // Does nothing if it is closed.
  void Arm();
  // Call when the exchange is about to be answered by its handler.
  void Close();

 private:
  enum class State { kOpen, kArmed, kExpired, kClosed };
  void Expire();

  const Options& options_;
  const base::Clock& clock_;
  const MakeAnswer make_answer_;
  const int64_t at_ns_;
  State state_ = State::kOpen;
  net::Loop* loop_ = nullptr;
  net::Reply::Key exchange_;
  net::Loop::TimerId timer_ = 0;
};

}  // namespace inferd::rest
