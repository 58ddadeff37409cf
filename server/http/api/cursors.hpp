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

// Signs the cursors of one operation for one team, so that handlers only get cursors that the
// server sent. The key belongs to the installation, so any of its servers can read them.
class Cursors {
  public:
    Cursors() = default;  // for operations without pages
    Cursors(std::string key, std::string_view operation, std::string_view team);

    std::string seal(std::string_view cursor) const;
    // 400 for a cursor that was not signed here.
    Outcome<std::string> open(std::string_view sealed) const;

  private:
    std::string key_;
    std::string context_;
};

}  // namespace plimsoll::http
