#include "server/jobs/records/failed_row.hpp"

#include <string>

namespace plimsoll::jobs {

nlohmann::json failed_row(std::span<const Column> columns, std::string_view reason) {
    auto row = nlohmann::json::object();
    for (const auto& column : columns) row[std::string(column.name)] = nullptr;
    row["error_code"] = "quarantined";
    row["error"] = reason;
    return row;
}

}  // namespace plimsoll::jobs
