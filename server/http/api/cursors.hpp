#pragma once

#include "server/http/messages/problem.hpp"

#include <string>
#include <string_view>

namespace plimsoll::http {

// 400 for an invalid cursor.
inline Problem invalid_cursor() {
    Problem problem(400, "A parameter is invalid.");
    problem.errors.push_back({{}, "cursor", "is not the next_cursor of a page of this list"});
    return problem;
}

// Signs the cursors of one operation for one team: what comes back is what went out, so handlers
// need not expect anything else. The key is the installation's, so any of its servers reads them.
class Cursors {
  public:
    Cursors() = default;  // of operations without pages
    Cursors(std::string key, std::string_view operation, std::string_view team);

    std::string seal(std::string_view cursor) const;
    // 400 for what was not sealed here.
    Outcome<std::string> open(std::string_view sealed) const;

  private:
    std::string key_;
    std::string context_;
};

}  // namespace plimsoll::http
