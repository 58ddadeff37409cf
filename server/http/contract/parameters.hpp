#pragma once

#include "server/http/contract/router.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace plimsoll::http {

// The validated, typed parameters of one call, with defaults filled in.
class Parameters {
  public:
    // 400 that names every parameter that is invalid, missing, unknown or repeated.
    static Outcome<Parameters> read(const Match& match, const Target& target,
                                    const Request& request);

    // nullopt if the caller did not send it and it has no default.
    std::optional<std::string> text(std::string_view name) const;
    // False if absent without a default.
    bool flag(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name) const;

    // In place of what the caller sent.
    void replace(const std::string& name, std::string text) { values_[name] = std::move(text); }

  private:
    std::map<std::string, nlohmann::json, std::less<>> values_;
};

}  // namespace plimsoll::http
