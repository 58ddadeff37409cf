#include "server/terminal/list.hpp"

#include "server/base/id.hpp"
#include "server/base/text_table.hpp"
#include "server/base/time.hpp"
#include "server/client/session.hpp"
#include "server/terminal/terminal.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::terminal {
namespace {

// "4m ago", "in 2d".
std::string age_of(Timestamp time) {
    const auto gone = std::chrono::floor<std::chrono::seconds>(SystemClock().now() - time).count();
    const auto seconds = std::abs(gone);
    const auto [unit, length] = seconds < 60      ? std::pair('s', 1)
                                : seconds < 3600  ? std::pair('m', 60)
                                : seconds < 86400 ? std::pair('h', 3600)
                                                  : std::pair('d', 86400);
    const auto text = std::to_string(seconds / length) + unit;
    return gone < 0 ? "in " + text : text + " ago";
}

std::string shortened(const std::string& cell) {
    if (parse_public_id("job", cell)) return client::short_job_id(cell);
    const auto time = parse_rfc3339(cell);
    return time ? age_of(*time) : cell;
}

}  // namespace

std::string format_list(const Terminal& terminal, std::vector<std::vector<std::string>> rows,
                        const std::vector<std::string>& expendable) {
    if (const auto width = table_width(terminal); width > 0) {
        for (auto& row : rows) std::ranges::transform(row, row.begin(), shortened);
        rows = one_line_rows(std::move(rows), width, expendable);
    }
    return format_table(terminal, rows);
}

void show_list(const CommandContext& context, Result<nlohmann::json> answer,
               std::vector<std::vector<std::string>> rows,
               std::vector<std::string> (*row_of)(const nlohmann::json&), const std::string& none) {
    const auto page = need(std::move(answer));
    if (context.json) return context.terminal.line(page.dump(2));
    for (const auto& item : page.at("items")) rows.push_back(row_of(item));
    context.terminal.line(rows.size() > 1 ? format_table(context.terminal, rows) : none);
}

void remove_item(const CommandContext& context, const std::string& path, const std::string& id) {
    need(need(client::signed_in()).send("DELETE", path + "/" + id));
    if (context.json) context.terminal.line(nlohmann::json{{"id", id}}.dump(2));
}

}  // namespace plimsoll::terminal
