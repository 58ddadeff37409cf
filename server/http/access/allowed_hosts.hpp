#pragma once

#include "engine/base/result.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::http {

// The host names that requests may carry. This prevents DNS rebinding: a page of another site whose
// name resolves to this server sends that name. Addresses and localhost are always allowed: no site
// owns them.
class AllowedHosts {
  public:
    // Any name.
    AllowedHosts() = default;

    // "plimsoll.example.com, *.example.org"; *. stands for any name below. Errc::invalid_input
    // names the invalid entry.
    static Result<AllowedHosts> parse(const std::string& names);
    // These names; if empty, only addresses and localhost.
    static AllowedHosts only(std::set<std::string> names);

    // `host` as in the Host field, with or without a port.
    bool allow(std::string_view host) const;

  private:
    bool any_ = true;
    std::set<std::string> names_;
    std::vector<std::string> suffixes_;  // ".example.org"
};

// The host that a request is for: of its target if that names one ("http://host/path"), which then
// counts instead of the Host field (RFC 9112, 3.2.2). User information before it is ignored.
std::string_view host_of(std::string_view target, std::string_view field);

}  // namespace plimsoll::http
