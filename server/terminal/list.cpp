#include "server/terminal/list.hpp"

#include "server/client/session.hpp"

namespace plimsoll::terminal {

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
