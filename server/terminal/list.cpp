#include "server/terminal/list.hpp"

namespace plimsoll::terminal {

int show_list(const CommandContext& context, const Result<nlohmann::json>& page,
              std::vector<std::vector<std::string>> rows,
              std::vector<std::string> (*row_of)(const nlohmann::json&), const std::string& none) {
    if (!page) return refuse(context, page.error());
    if (context.json) {
        context.terminal.line(page->dump(2));
        return 0;
    }
    for (const auto& item : page->at("items")) rows.push_back(row_of(item));
    context.terminal.line(rows.size() > 1 ? format_table(context.terminal, rows) : none);
    return 0;
}

}  // namespace plimsoll::terminal
