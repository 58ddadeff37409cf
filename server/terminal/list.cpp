#include "server/terminal/list.hpp"

namespace plimsoll::client {

int show_list(const Session& session, const Result<nlohmann::json>& page,
              std::vector<std::vector<std::string>> rows,
              std::vector<std::string> (*row_of)(const nlohmann::json&), const std::string& none) {
    if (!page) return report_error(session, page.error());
    if (session.json) {
        session.terminal.line(page->dump(2));
        return 0;
    }
    for (const auto& item : page->at("items")) rows.push_back(row_of(item));
    session.terminal.line(rows.size() > 1 ? format_table(session.terminal, rows) : none);
    return 0;
}

}  // namespace plimsoll::client
