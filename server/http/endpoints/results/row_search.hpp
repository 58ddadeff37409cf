#pragma once

#include "server/jobs/kind.hpp"

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::http::endpoints {

// What rows must have; an empty part asks for nothing.
struct RowFilter {
    std::string contains = {};  // in one of the columns that are searched
    std::string label = {};     // the column `label`; "failed": an error

    bool empty() const { return contains.empty() && label.empty(); }
};

// Finds result rows (JSON lines, as tasks store them).
class RowSearch {
  public:
    // In the text, ASCII letters match in either case.
    RowSearch(const RowFilter& filter, std::span<const jobs::Column> columns);

    // Those of whole lines. Errc::corrupt if a line that must be read is not an object.
    Result<std::string> matching(std::string_view rows) const;

  private:
    bool matches(const nlohmann::json& row) const;
    bool contains_text(const nlohmann::json& row) const;
    bool has_label(const nlohmann::json& row) const;

    std::string text_;  // in lower case
    std::string label_;
    std::string
        plain_;  // what every such row has as it is, in lower case; empty: any row may match
    std::span<const jobs::Column> columns_;
};

}  // namespace plimsoll::http::endpoints
