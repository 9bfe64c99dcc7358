#include "serving/worker/child/hosted_model.h"

#include <algorithm>
#include <system_error>

#include "base/system/allocator.h"
#include "base/thread_pool.h"

namespace inferd::worker {

namespace {

ModelDescription Describe(const core::EngineModel& model) {
  ModelDescription description{.signature = model.signature(),
                               .compute_threads = model.compute_threads(),
                               .unfinished_executions_max = std::min(model.unfinished_executions_max(), kChannelsMax),
                               .completed = model.completed(),
                               .checks_readiness = model.readiness_check() != nullptr};
  for (size_t i = 0; i < description.signature.inputs.size(); ++i) {
    const int input = static_cast<int>(i);
    description.inputs.push_back(
        {.alignment = model.input_alignment(input), .one_piece = model.wants_one_piece(input)});
  }
  const auto names = model.significant_parameters();
  description.significant_parameters.assign(names.begin(), names.end());
  return description;
}

}  // namespace

base::Status HostedModel::Run() {
  INFERD_ASSIGN_OR_RETURN(const ControlMessage order, socket_.Receive());
  if (const base::Status status = Load(order); !status.ok()) return socket_.Send(EncodeReply(status));
  INFERD_RETURN_IF_ERROR(socket_.Send(EncodeReply(base::OkStatus(), EncodeDescriptions(Descriptions()))));
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(ControlMessage next, socket_.Receive());
    const bool readiness = next.text == kReadinessOrder;
    INFERD_RETURN_IF_ERROR(
        socket_.Send(EncodeReply(readiness ? AnswerReadiness(std::move(next.descriptor)) : AddInstance(next))));
  }
}

void HostedModel::Refuse(const base::Status& why) {
  if (socket_.Receive().has_value()) static_cast<void>(socket_.Send(EncodeReply(why)));
}

HostedModel::~HostedModel() {
  if (readiness_ != nullptr) readiness_->Shutdown();
  if (readiness_thread_.joinable()) readiness_thread_.join();
  instances_.clear();
  models_.clear();
  // Returns the model's memory to the system rather than keeping it for the next model.
  base::ReturnFreeMemory();
}

base::Status HostedModel::Load(const ControlMessage& message) {
  INFERD_ASSIGN_OR_RETURN(load_, DecodeLoadOrder(message.text));
  base::SetThreadName("model " + load_.model_name);
  if (message.descriptor) {
    INFERD_ASSIGN_OR_RETURN(bodies_, BodyView::Open(message.descriptor.get()));
  }
  const base::CpuCores cores = load_.AllCores();
  if (!cores.empty()) static_cast<void>(base::PinThread(cores).ok());
  INFERD_ASSIGN_OR_RETURN(auto model, engine_.Load(load_));
  models_.push_back(std::move(model));
  for (auto& other : models_[0]->OtherSignatures()) models_.push_back(std::move(other));
  return base::OkStatus();
}

base::Status HostedModel::AddInstance(const ControlMessage& message) {
  INFERD_ASSIGN_OR_RETURN(const InstanceOrder order, DecodeInstanceOrder(message.text));
  INFERD_ASSIGN_OR_RETURN(auto memory, ChannelMemory::Open(message.descriptor.get()));
  if (order.signature >= models_.size()) return base::InvalidArgument("the model has no such signature");
  const base::OnCpuCores here(load_.GroupCores(order.spec.group));
  if (order.further) return AddChannel(std::move(memory), order.channel);
  if (order.removed > instances_.size()) return base::InvalidArgument("there are fewer instances to remove");
  instances_.resize(instances_.size() - order.removed);
  INFERD_ASSIGN_OR_RETURN(auto instance, models_[order.signature]->CreateInstance(order.spec));
  try {
    instances_.push_back(std::make_unique<HostedInstance>(std::move(instance), std::move(memory), order.channel,
                                                          bodies_, load_.model_name));
  } catch (const std::system_error& error) {
    return base::ResourceExhausted("no thread for an instance: " + std::string(error.what()));
  }
  return base::OkStatus();
}

base::Status HostedModel::AnswerReadiness(base::FileDescriptor socket) {
  core::ReadinessCheck check = models_[0]->readiness_check();
  if (check == nullptr || readiness_ != nullptr) return base::InvalidArgument("the model is not asked so");
  readiness_ = std::make_unique<ControlSocket>(std::move(socket));
  try {
    readiness_thread_ = std::thread([line = readiness_.get(), check = std::move(check)] {
      while (line->Receive().has_value() && line->Send(EncodeReply(check())).ok()) {
      }
    });
  } catch (const std::system_error& error) {
    return base::ResourceExhausted("no thread to ask the model on: " + std::string(error.what()));
  }
  return base::OkStatus();
}

base::Status HostedModel::AddChannel(std::shared_ptr<ChannelMemory> memory, uint64_t channel) {
  if (instances_.empty()) return base::InvalidArgument("there is no instance for a further channel");
  try {
    instances_.back()->AddChannel(std::move(memory), channel);
  } catch (const std::system_error& error) {
    return base::ResourceExhausted("no thread for a channel: " + std::string(error.what()));
  }
  return base::OkStatus();
}

std::vector<ModelDescription> HostedModel::Descriptions() const {
  std::vector<ModelDescription> descriptions;
  for (const auto& model : models_) descriptions.push_back(Describe(*model));
  return descriptions;
}

}  // namespace inferd::worker
