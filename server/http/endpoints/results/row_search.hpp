#pragma once

#include "server/jobs/kind.hpp"

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::http::endpoints {

// Finds result rows (JSON lines, as tasks store them) by the columns that are searched.
class RowSearch {
  public:
    // Rows with this text in one of the columns; ASCII letters match in either case.
    RowSearch(std::string_view text, std::span<const jobs::Column> columns);

    // Those of whole lines. Errc::corrupt if a line that must be read is not an object.
    Result<std::string> matching(std::string_view rows) const;

  private:
    bool matches(const nlohmann::json& row) const;

    std::string text_;   // in lower case
    std::string plain_;  // the longest part of it that stands in JSON as it is
    std::span<const jobs::Column> columns_;
};

}  // namespace plimsoll::http::endpoints
