#include "net/http/exchange.h"

#include <utility>

namespace inferd::net {

Reply Exchange::Open() {
  Close();
  open_ = true;
  return target_.Insert(this, slot_);
}

void Exchange::Close() {
  if (std::exchange(open_, false)) target_.Erase(slot_);
}

Exchange* Reply::Target::Find(uint32_t slot, uint64_t generation) const {
  return slot < slots_.size() && slots_[slot].generation == generation ? slots_[slot].exchange : nullptr;
}

Reply Reply::Target::Insert(Exchange* exchange, uint32_t& slot) {
  if (free_.empty()) {
    slot = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot].exchange = exchange;
  return Reply(loop_, this, slot, slots_[slot].generation);
}

void Reply::Target::Erase(uint32_t slot) {
  slots_[slot].exchange = nullptr;
  ++slots_[slot].generation;
  free_.push_back(slot);
}

Reply::Reply(Reply&& other) noexcept
    : loop_(other.loop_),
      target_(std::exchange(other.target_, nullptr)),
      slot_(other.slot_),
      generation_(other.generation_) {}

Reply& Reply::operator=(Reply&& other) noexcept {
  Reply old(std::move(*this));
  loop_ = other.loop_;
  target_ = std::exchange(other.target_, nullptr);
  slot_ = other.slot_;
  generation_ = other.generation_;
  return *this;
}

Reply::~Reply() {
  if (target_ == nullptr) return;
  const auto abandon = [target = target_, slot = slot_, generation = generation_] {
    if (Exchange* exchange = target->Find(slot, generation)) exchange->Abandon();
  };
  if (loop_->InLoopThread()) {
    abandon();
  } else {
    loop_->Post(abandon);
  }
}

void Reply::Send(HttpResponse&& response) {
  Target* target = std::exchange(target_, nullptr);
  if (target == nullptr) return;
  if (Exchange* exchange = target->Find(slot_, generation_)) exchange->Send(std::move(response));
}

void Reply::Start(HttpResponse&& response) {
  Exchange* exchange = target_ == nullptr ? nullptr : target_->Find(slot_, generation_);
  if (exchange != nullptr) exchange->Start(std::move(response));
}

bool Reply::Write(base::BufferSlice piece) {
  Exchange* exchange = target_ == nullptr ? nullptr : target_->Find(slot_, generation_);
  return exchange != nullptr && exchange->Write(std::move(piece));
}

void Reply::End(Trailers trailers) {
  Target* target = std::exchange(target_, nullptr);
  if (target == nullptr) return;
  if (Exchange* exchange = target->Find(slot_, generation_)) exchange->End(std::move(trailers));
}

void Reply::OnWritable(base::Task task) {
  Exchange* exchange = target_ == nullptr ? nullptr : target_->Find(slot_, generation_);
  if (exchange != nullptr) exchange->OnWritable(std::move(task));
}

void Reply::OnPeerGone(base::Task task) {
  Exchange* exchange = target_ == nullptr ? nullptr : target_->Find(slot_, generation_);
  if (exchange != nullptr) exchange->OnPeerGone(std::move(task));
}

void Reply::PauseBody() {
  Exchange* exchange = target_ == nullptr ? nullptr : target_->Find(slot_, generation_);
  if (exchange != nullptr) exchange->PauseBody();
}

void Reply::ResumeBody() {
  Exchange* exchange = target_ == nullptr ? nullptr : target_->Find(slot_, generation_);
  if (exchange != nullptr) exchange->ResumeBody();
}

Reply::Key Reply::key() const {
  Key key;
  key.target_ = target_;
  key.slot_ = slot_;
  key.generation_ = generation_;
  return key;
}

Reply Reply::Key::Claim() const {
  Exchange* exchange = target_ == nullptr ? nullptr : target_->Find(slot_, generation_);
  if (exchange == nullptr) return {};
  exchange->TellPeerGone();
  return exchange->Open();
}

}  // namespace inferd::net
