#include "serving/worker/parent/roster.h"

#include <algorithm>

namespace inferd::worker {

void Roster::Remove(const Model& model) {
  std::erase_if(rows_, [&](const Row& row) { return row.model == model; });
}

Roster::Row* Roster::Find(const Model& model) {
  const auto found = std::ranges::find(rows_, model, &Row::model);
  return found == rows_.end() ? nullptr : &*found;
}

void Roster::Loaded(const Model& model) {
  if (Row* row = Find(model)) *row = {.model = model, .loaded = true, .up = true};
}

std::chrono::nanoseconds Roster::Failed(const Model& model, Clock::time_point now) {
  Row* const row = Find(model);
  if (row == nullptr) return {};
  const std::chrono::nanoseconds pause(row->back_off.NextNs(0));
  row->due = now + pause;
  return pause;
}

void Roster::Ended(const Model& model, Clock::time_point now) {
  Row* const row = Find(model);
  if (row == nullptr) return;
  constexpr int kDoublingsMax = 20;
  const auto pause = kOutFirst * (1 << std::min(row->ended_processes++, kDoublingsMax));
  row->due = now + std::min<std::chrono::seconds>(pause, kOutMost);
}

void Roster::ProcessLost() {
  for (Row& row : rows_) row.up = false;
}

std::vector<Roster::Model> Roster::ForNewProcess() const {
  std::vector<Model> models;
  const Row* first_out = nullptr;
  bool others = false;
  for (const Row& row : rows_) {
    if (!row.loaded) continue;
    if (row.ended_processes == 0) {
      others = true;
      if (!row.up) models.push_back(row.model);
    } else if (first_out == nullptr || row.due < first_out->due) {
      first_out = &row;
    }
  }
  if (!others && first_out != nullptr) models.push_back(first_out->model);
  return models;
}

std::vector<Roster::Model> Roster::Due(Clock::time_point now) const {
  std::vector<Model> models;
  for (const Row& row : rows_) {
    if (row.loaded && !row.up && row.due <= now) models.push_back(row.model);
  }
  return models;
}

Roster::Clock::time_point Roster::NextDue() const {
  auto next = Clock::time_point::max();
  for (const Row& row : rows_) {
    if (row.loaded && !row.up) next = std::min(next, row.due);
  }
  return next;
}

bool Roster::Has(const Model& model) const { return std::ranges::find(rows_, model, &Row::model) != rows_.end(); }

bool Roster::any_loaded() const { return std::ranges::any_of(rows_, &Row::loaded); }

bool Roster::any_coming_or_up() const {
  return std::ranges::any_of(rows_, [](const Row& row) { return row.up || !row.loaded; });
}

}  // namespace inferd::worker
