#pragma once

#include "engine/base/json.hpp"
#include "server/cli/commands.hpp"
#include "server/client/lists.hpp"
#include "server/client/session.hpp"
#include "server/terminal/list.hpp"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

// What the commands about the server's resources share.
namespace plimsoll::cli {

using terminal::text_of;

inline CLI::App* add_resource(CLI::App& app, const char* name, const char* help) {
    return app.add_subcommand(name, help)->require_subcommand(1);
}

// `list`, which prints all items at `target`.
struct ListCommand {
    const char* help;
    const char* target;
    std::vector<std::string> header;
    std::vector<std::string> (*row_of)(const json&);
    const char* none;  // instead of an empty table
};

inline void add_list(CLI::App* group, const CommandContext& context, const ListCommand& list) {
    group->add_subcommand("list", list.help)->callback([&context, list] {
        show_list(context, client::whole_list(list.target), {list.header}, list.row_of, list.none);
    });
}

// Removes the item of a list that the text names.
inline void remove_named(const CommandContext& context, const client::Named& list,
                         const std::string& name) {
    auto api = need(client::signed_in());
    remove_item(context, list.target, need(client::id_of(api, list, name)));
}

// With --json the server's answer, else the text.
inline void print_answer(const CommandContext& context, const json& answer,
                         const std::string& text) {
    context.terminal.line(context.json ? answer.dump(2) : text);
}

}  // namespace plimsoll::cli
