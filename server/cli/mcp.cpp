#include "server/cli/resource.hpp"
// A server of the Model Context Protocol for assistants: JSON-RPC 2.0, a message a line. Its tools
// are commands of this program, which run in processes of their own.
#include "server/base/programs/child_program.hpp"
#include "server/base/programs/spawn.hpp"
#include "server/terminal/argument_options.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>

#include <unistd.h>

namespace plimsoll::cli {
namespace {

constexpr std::string_view kProtocol = "2025-06-18";

// Codes of JSON-RPC.
constexpr int kNotJson = -32700;
constexpr int kUnknownMethod = -32601;
constexpr int kInvalidParams = -32602;

struct McpTool {
    const char* command;
    bool changes = false;
};
constexpr std::array kTools = {
    McpTool{"estimate"}, McpTool{"check"}, McpTool{"diagnose"},     McpTool{"score"},
    McpTool{"jobs"},     McpTool{"why"},   McpTool{"submit", true}, McpTool{"cancel", true},
};

struct McpArgument {
    std::string name;
    const CLI::Option* option;

    bool is_switch() const { return option->get_items_expected_max() == 0; }
    bool is_list() const { return option->get_items_expected_max() > 1; }
    json schema() const {
        const auto type = option->get_type_name();
        json one{{"type", is_switch()               ? "boolean"
                          : type.starts_with("INT") ? "integer"
                          : type == "FLOAT"         ? "number"
                                                    : "string"}};
        if (is_list()) one = {{"type", "array"}, {"items", one}};
        one["description"] = option->get_description();
        return one;
    }
};

// CLI11 keeps option groups as nameless commands.
void add_arguments(const CLI::App& command, bool may_change, std::vector<McpArgument>& all) {
    for (const auto* option : command.get_options()) {
        if (option->get_group() == terminal::kOtherNames) continue;
        auto name = option->get_positional()       ? option->get_name(true)
                    : option->get_lnames().empty() ? std::string()
                                                   : option->get_lnames().front();
        std::ranges::replace(name, '-', '_');
        const bool keeps = name == "keep" && option->get_items_expected_max() == 0;
        if (name.empty() || name == "help" || name == "watch" || (keeps && !may_change)) continue;
        all.push_back({name, option});
    }
    for (const auto* group :
         command.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); })) {
        add_arguments(*group, may_change, all);
    }
}

json tool_error(std::string text) {
    json content = json::array();
    content.push_back({{"type", "text"}, {"text", std::move(text)}});
    return {{"content", std::move(content)}, {"isError", true}};
}

class McpServer {
  public:
    McpServer(const CLI::App& app, bool may_change) : app_(app), may_change_(may_change) {}

    // The response; null for a notification.
    json answer(const std::string& line) const {
        try {
            return answer_to(json::parse(line, nullptr, false));
        } catch (const json::exception&) {  // a member of another type
            return failed(nullptr, kInvalidParams, "not as the protocol has it");
        }
    }

  private:
    json answer_to(const json& message) const {
        if (!message.is_object() || !message.contains("method")) {
            // An object without a method answers what was never asked.
            return message.is_object() ? json()
                                       : failed(nullptr, kNotJson, "not a request in JSON");
        }
        if (!message.contains("id")) return nullptr;
        const auto& id = message["id"];
        const auto params = message.value("params", json::object());
        const auto& method = message["method"];
        if (method == "initialize") return done(id, greeting(params));
        if (method == "ping") return done(id, json::object());
        if (method == "tools/list") return done(id, {{"tools", tools()}});
        if (method != "tools/call") return failed(id, kUnknownMethod, "unknown method");
        const auto* tool = find(params.value("name", std::string()));
        if (tool == nullptr) return failed(id, kInvalidParams, "unknown tool");
        return done(id, call(*tool, params.value("arguments", json::object())));
    }

    static json done(const json& id, json result) {
        return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
    }

    static json failed(const json& id, int code, const char* why) {
        return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", why}}}};
    }

    static json greeting(const json& params) {
        return {{"protocolVersion", params.value("protocolVersion", std::string(kProtocol))},
                {"capabilities", {{"tools", json::object()}}},
                {"serverInfo", {{"name", "plimsoll"}, {"version", PLIMSOLL_VERSION}}},
                {"instructions",
                 "Plimsoll tells how much GPU memory a training run takes, and runs batch work. "
                 "estimate, check and diagnose need no server; the other tools ask the server "
                 "that `plimsoll login` named."}};
    }

    const McpTool* find(std::string_view name) const {
        const auto found = std::ranges::find_if(kTools, [&](const McpTool& tool) {
            return tool.command == name && (may_change_ || !tool.changes);
        });
        return found == kTools.end() ? nullptr : &*found;
    }

    std::vector<McpArgument> arguments_of(const McpTool& tool) const {
        std::vector<McpArgument> all;
        add_arguments(*app_.get_subcommand(tool.command), may_change_, all);
        return all;
    }

    json tools() const {
        json all = json::array();
        for (const auto& tool : kTools) {
            if (find(tool.command) == nullptr) continue;
            json properties = json::object();
            json required = json::array();
            for (const auto& argument : arguments_of(tool)) {
                properties[argument.name] = argument.schema();
                if (argument.option->get_required()) required.push_back(argument.name);
            }
            all.push_back({{"name", tool.command},
                           {"description", app_.get_subcommand(tool.command)->get_description()},
                           {"inputSchema",
                            {{"type", "object"},
                             {"properties", std::move(properties)},
                             {"required", std::move(required)},
                             {"additionalProperties", false}}},
                           {"annotations", {{"readOnlyHint", !tool.changes}}}});
        }
        return all;
    }

    json call(const McpTool& tool, const json& given) const {
        const auto known = arguments_of(tool);
        std::vector<std::string> words{tool.command};
        std::vector<std::string> positional;
        for (const auto& [name, value] : given.items())
            if (std::ranges::find(known, name, &McpArgument::name) == known.end())
                return tool_error(name + ": is unknown.");
        for (const auto& argument : known) {
            const auto value = given.value(argument.name, json::array());
            for (const json& one : value.is_array() ? value : json::array({value})) {
                const auto text = one.is_string() ? one.get<std::string>() : one.dump();
                if (argument.option->get_positional())
                    positional.push_back(text);
                else if (!argument.is_switch())
                    words.push_back("--" + argument.option->get_lnames().front() + "=" + text);
                else if (one == true)
                    words.push_back("--" + argument.option->get_lnames().front());
            }
        }
        // What looks like a flag is none.
        if (!positional.empty()) words.push_back("--");
        words.insert(words.end(), positional.begin(), positional.end());
        const auto finished = run_program({.path = sibling_program("plimsoll"),
                                           .arguments = std::move(words),
                                           .environment = current_environment(),
                                           .redirections = {{ChildCommand::kNothing, STDIN_FILENO},
                                                            {STDOUT_FILENO, STDERR_FILENO}}});
        if (!finished) return tool_error(finished.error().message);
        // Words take a hundredth of the JSON. 1: the answer is no.
        json result = tool_error(finished->output);
        result["isError"] = finished->status > 1;
        return result;
    }

    const CLI::App& app_;
    bool may_change_;
};

}  // namespace

void add_mcp(CLI::App& app, CommandContext& /*context*/) {
    const auto may_change = std::make_shared<bool>(false);
    auto* command = app.add_subcommand(
        "mcp", "Serve assistants by the Model Context Protocol, on standard input and output");
    command->add_flag("--allow-changes", *may_change,
                      "Also offer tools that change something: submit, cancel");
    command->callback([&app, may_change] {
        const McpServer server(app, *may_change);
        for (std::string line; std::getline(std::cin, line);) {
            const auto answer = server.answer(line);
            if (!answer.is_null())
                std::cout << answer.dump(-1, ' ', false, json::error_handler_t::replace)
                          << std::endl;
        }
    });
}

}  // namespace plimsoll::cli
