#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "protocols/front_end.h"

namespace inferd::protocol {

// A row of a front-end's table of gRPC methods, for FrontEnd::AccessOf().
struct MethodRow {
  std::string_view path;  // "Method", or "Service/Method": the part after the table's prefix
  MethodAccess access;
};

// Returns the access rule of the row whose path, after `prefix`, is `grpc_path`.
inline std::optional<MethodAccess> FindAccess(std::string_view grpc_path, std::string_view prefix,
                                              std::span<const MethodRow> rows) {
  if (!grpc_path.starts_with(prefix)) return std::nullopt;
  grpc_path.remove_prefix(prefix.size());
  const auto row = std::ranges::find(rows, grpc_path, &MethodRow::path);
  return row == rows.end() ? std::nullopt : std::optional(row->access);
}

}  // namespace inferd::protocol
