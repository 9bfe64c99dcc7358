#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "kserve/gateway/graph/graph_run.h"
#include "kserve/gateway/graph/graph_service.h"
#include "kserve/gateway/inner_exchange.h"
#include "kserve/gateway/routed_call.h"

namespace inferd::graph {

// A request to a graph: its run, and the requests of its steps in flight. Loop-bound.
//
//   (made) --Start--> running --the run's answer, too late, peer gone--> done
class GraphCall final : public gateway::RoutedCall, public StepCaller {
 public:
  // `route` keeps `service` alive.
  GraphCall(const GraphService& service, gateway::CallOwner& owner, std::shared_ptr<const gateway::Route> route,
            net::HttpRequest request, net::Reply reply);
  ~GraphCall() override;

  void Start() override;

 private:
  // StepCaller.
  void Call(const Target& target, base::BufferSlice body, Done done) override;
  uint32_t DrawLot() override { return owner_.DrawLot(); }

  net::HttpRequest MakeRequest(const Target& target, base::BufferSlice body) const;
  void Answer(gateway::InnerAnswer answer);
  void Refuse(int status, std::string_view text);
  void Finish();

  const GraphService& service_;
  gateway::CallOwner& owner_;
  const std::shared_ptr<const gateway::Route> route_;
  const std::shared_ptr<const net::HttpRequest> request_;  // its head is used by the steps' requests
  net::Reply reply_;
  net::Loop::TimerId timer_ = 0;
  size_t graphs_ = 1;  // nesting depth of graphs in this request, including this one
  const std::shared_ptr<size_t> bytes_left_;
  bool done_ = false;
  // Callbacks that the transport runs later check this.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  GraphRun run_;
  uint64_t last_step_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<gateway::InnerExchange>> steps_;  // in flight
};

}  // namespace inferd::graph
