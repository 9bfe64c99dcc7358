#include "config/option_table/option_field.h"
#include "config/option_table/option_rows.h"

namespace inferd::config {
namespace {

using S = ServerOptions;
using Grpc = GrpcOptions;
using Keepalive = GrpcKeepaliveOptions;

constexpr std::string_view kGrpc = "gRPC";
constexpr std::string_view kCompressionLevels = "none|low|medium|high";

template <auto Field>
Option KeepaliveRow(std::string_view name, std::string_view value_name, std::string_view help) {
  return Plain<&S::grpc_calls, &Grpc::keepalive, Field>(kGrpc, name, value_name, help);
}

}  // namespace

std::vector<Option> GrpcRows() {
  return {
      Plain<&S::grpc_calls, &Grpc::on_http_port>(kGrpc, "http-grpc", "", "gRPC and gRPC-Web on HTTP's port as well"),
      Plain<&S::grpc_calls, &Grpc::web_allow_origin>(kGrpc, "grpc-web-allow-origin", "ORIGIN",
                                                     "web pages from there may call by gRPC-Web; '*': from anywhere"),
      Plain<&S::grpc_calls, &Grpc::typed_outputs>(kGrpc, "grpc-typed-outputs", "",
                                                  "outputs as typed contents, not raw, where requests do not say"),
      Plain<&S::grpc_calls, &Grpc::message_bytes_max>(kGrpc, "grpc-message-bytes-max", "BYTES",
                                                      "a message, as sent and decompressed"),
      Choice<kCompressionLevels, &S::grpc_calls, &Grpc::response_compression>(
          kGrpc, "grpc-response-compression-level", "of responses, for clients that accept gzip or deflate"),
      KeepaliveRow<&Keepalive::ping_every>("grpc-keepalive-time", "TIME", "silence after which a client is pinged"),
      KeepaliveRow<&Keepalive::ping_timeout>("grpc-keepalive-timeout", "TIME", "for its answer; then it is closed"),
      KeepaliveRow<&Keepalive::ping_without_calls>("grpc-keepalive-permit-without-calls", "",
                                                   "ping connections without calls too, and let clients ping so"),
      KeepaliveRow<&Keepalive::pings_without_data_max>("grpc-http2-max-pings-without-data", "N",
                                                       "pings in a row with no data between them; 0: any number"),
      KeepaliveRow<&Keepalive::client_ping_interval_min>("grpc-http2-min-recv-ping-interval-without-data", "TIME",
                                                         "a client's pings without data must be so far apart"),
      KeepaliveRow<&Keepalive::client_ping_strikes_max>("grpc-http2-max-ping-strikes", "N",
                                                        "pings too many before it is sent away; 0: any number"),
      KeepaliveRow<&Keepalive::connection_age_max>("grpc-max-connection-age", "TIME",
                                                   "then clients are told to connect anew; 0: never"),
      KeepaliveRow<&Keepalive::connection_age_grace>("grpc-max-connection-age-grace", "TIME",
                                                     "then: how long calls in flight may take; 0: any time"),
  };
}

}  // namespace inferd::config
