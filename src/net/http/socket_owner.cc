#include "net/http/socket_owner.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/system/file_descriptor.h"
#include "net/http/host.h"

namespace inferd::net {

namespace {

constexpr int kAnswerMaxMs = 1000;  // the kernel answers before send() returns

struct End {
  sa_family_t family = AF_UNSPEC;
  std::array<uint32_t, 4> address{};  // network order
  uint16_t port = 0;                  // network order
};

// Parses "127.0.0.1:4242", "[::1]:4242". An IPv4-mapped IPv6 address becomes the IPv4 address (RFC 4291, 2.5.5.2).
base::Result<End> ParseEnd(std::string_view text) {
  const auto refuse = [text] {
    return std::unexpected(base::InvalidArgument("no address: '" + std::string(text) + "'"));
  };
  const auto host = ParseHost(text);
  if (!host.has_value() || !host->port.has_value()) return refuse();
  End made{.port = htons(*host->port)};
  std::string address(host->name);
  if (host->kind == Host::Kind::kIpv6) address = address.substr(1, address.size() - 2);
  made.family = host->kind == Host::Kind::kIpv6 ? AF_INET6 : AF_INET;
  if (inet_pton(made.family, address.c_str(), made.address.data()) != 1) return refuse();
  if (made.family == AF_INET6 && made.address[0] == 0 && made.address[1] == 0 && made.address[2] == htonl(0xffff)) {
    made = {.family = AF_INET, .address = {made.address[3]}, .port = made.port};
  }
  return made;
}

struct Question {
  nlmsghdr header;
  inet_diag_req_v2 body;
};

// Makes the query for the socket whose own end is `from` and whose other end is `to`.
Question MakeQuestion(const End& from, const End& to) {
  Question question{};
  question.header.nlmsg_len = sizeof(question);
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST;
  question.body.sdiag_family = static_cast<uint8_t>(from.family);
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = ~0U;
  inet_diag_sockid& id = question.body.id;
  id.idiag_sport = from.port;
  id.idiag_dport = to.port;
  std::memcpy(id.idiag_src, from.address.data(), sizeof(id.idiag_src));
  std::memcpy(id.idiag_dst, to.address.data(), sizeof(id.idiag_dst));
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return question;
}

base::Status NotSaid(int error) {
  const std::string why = std::strerror(error);
  if (error == ENOENT) return base::NotFound("the other end of the connection is not of this machine, or is closed");
  return base::Unavailable("the kernel does not say whose the other end of a connection is: " + why);
}

}  // namespace

base::Result<uid_t> OwnerOfOtherEnd(std::string_view peer, std::string_view local) {
  INFERD_ASSIGN_OR_RETURN(const End from, ParseEnd(peer));
  INFERD_ASSIGN_OR_RETURN(const End to, ParseEnd(local));
  const base::FileDescriptor netlink(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
  if (!netlink) return std::unexpected(NotSaid(errno));
  const Question question = MakeQuestion(from, to);
  if (send(netlink.get(), &question, sizeof(question), 0) < 0) return std::unexpected(NotSaid(errno));
  pollfd readable{.fd = netlink.get(), .events = POLLIN, .revents = 0};
  if (poll(&readable, 1, kAnswerMaxMs) != 1) return std::unexpected(NotSaid(ETIMEDOUT));
  alignas(nlmsghdr) std::array<char, 4096> answer{};
  const ssize_t size = recv(netlink.get(), answer.data(), answer.size(), 0);
  if (size < 0) return std::unexpected(NotSaid(errno));
  const auto& header = *reinterpret_cast<const nlmsghdr*>(answer.data());
  if (NLMSG_OK(&header, static_cast<size_t>(size)) && header.nlmsg_type == NLMSG_ERROR) {
    return std::unexpected(NotSaid(-static_cast<const nlmsgerr*>(NLMSG_DATA(&header))->error));
  }
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || static_cast<size_t>(size) < NLMSG_SPACE(sizeof(inet_diag_msg))) {
    return std::unexpected(NotSaid(EBADMSG));
  }
  const auto& found = *static_cast<const inet_diag_msg*>(NLMSG_DATA(&header));
  // If the connection no longer exists, the kernel returns a listener of that port. A socket without a process has no
  // inode, and is reported as root's.
  const bool connected = found.idiag_state != TCP_LISTEN && found.id.idiag_dport == to.port && found.idiag_inode != 0;
  if (!connected) return std::unexpected(NotSaid(ENOENT));
  return found.idiag_uid;
}

base::Result<bool> IsOwnUsers(const RequestHead& head) {
  INFERD_ASSIGN_OR_RETURN(const uid_t owner, OwnerOfOtherEnd(head.peer, head.local));
  return owner == 0 || owner == geteuid();
}

}  // namespace inferd::net
