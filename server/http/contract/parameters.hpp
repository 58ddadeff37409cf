#pragma once

#include "server/http/contract/router.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace plimsoll::http {

// The parameters of one call: checked, typed, defaults filled in.
class Parameters {
  public:
    // 400 that names every parameter that breaks its rule, is missing, unknown or given twice.
    static Outcome<Parameters> read(const Match& match, const Target& target,
                                    const Request& request);

    // Nothing when the caller did not send it and the contract knows no default.
    std::optional<std::string> text(std::string_view name) const;
    // False where it is absent and has no default.
    bool flag(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name) const;

  private:
    std::map<std::string, nlohmann::json, std::less<>> values_;
};

}  // namespace plimsoll::http
