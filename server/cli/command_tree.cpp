#include "server/cli/command_tree.hpp"

#include "server/terminal/argument_options.hpp"
#include "server/terminal/exit_status.hpp"

#include <sstream>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

// Those of option groups, which CLI11 keeps as nameless commands, are the command's own.
void add_options(const CLI::App& app, CommandInfo& info) {
    for (const auto* option : app.get_options()) {
        if (option->get_group() == terminal::kOtherNames) continue;
        const bool flag = option->get_type_size() == 0;
        info.options.push_back({option->get_name(option->get_positional(), true),
                                flag ? "" : option->get_type_name(), option->get_description(),
                                option->get_positional(), option->get_required()});
    }
    for (const auto* group :
         app.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); })) {
        add_options(*group, info);
    }
}

void add(const CLI::App& app, const std::string& path, std::vector<CommandInfo>& all) {
    CommandInfo info{path, app.get_description(), {}, {}};
    add_options(app, info);
    for (const auto* sub : commands_of(app)) info.commands.push_back(sub->get_name());
    all.push_back(std::move(info));
    for (const auto* sub : commands_of(app))
        add(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), all);
}

// "--port,-p" one after the other.
std::vector<std::string> split(const std::string& names) {
    std::vector<std::string> all;
    std::istringstream in(names);
    for (std::string name; std::getline(in, name, ',');) all.push_back(name);
    return all;
}

std::string words_of(const CommandInfo& command) {
    std::string words;
    const auto append = [&](const std::string& word) {
        words += (words.empty() ? "" : " ") + word;
    };
    for (const auto& name : command.commands) append(name);
    for (const auto& option : command.options) {
        if (option.positional) continue;
        for (const auto& name : split(option.names)) append(name);
    }
    return words;
}

// A word is part of the path as long as it is a command there: values of flags are not. Flags are
// offered once a dash is typed. zsh runs it, too: no slices of arrays, and no variable named path,
// which is its PATH.
std::string bash_script(const std::vector<CommandInfo>& commands) {
    std::string out =
        "_plimsoll_words() {\n"
        "    case \"$1\" in\n";
    for (const auto& command : commands)
        out += "        '" + command.path + "') echo '" + words_of(command) + "' ;;\n";
    return out +
           "    esac\n"
           "}\n"
           R"SH(_plimsoll() {
    local known='' word longer words current='' index=0
    for word in "${COMP_WORDS[@]}"; do
        if [ "$index" -eq "$COMP_CWORD" ]; then
            current=$word
            break
        fi
        longer="${known:+$known }$word"
        if [ "$index" -gt 0 ] && [ -n "$(_plimsoll_words "$longer")" ]; then known=$longer; fi
        index=$((index + 1))
    done
    words=" $(_plimsoll_words "$known")"
    case "$current" in -*) ;; *) words=${words%% -*} ;; esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
)SH"
           "complete -o default -F _plimsoll plimsoll\n";
}

std::string quoted_for_fish(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + "'";
}

std::string fish_script(const std::vector<CommandInfo>& commands) {
    std::string out;
    for (const auto& command : commands) {
        std::string when = "__fish_use_subcommand";
        if (!command.path.empty()) {
            when.clear();
            std::istringstream words(command.path);
            for (std::string word; words >> word;)
                when += (when.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
        }
        const auto begin = "complete -c plimsoll -n '" + when + "' ";
        for (const auto& name : command.commands) {
            const auto path = command.path.empty() ? name : command.path + " " + name;
            for (const auto& other : commands) {
                if (other.path != path) continue;
                out += begin + "-f -a " + name + " -d " + quoted_for_fish(other.help) + "\n";
            }
        }
        for (const auto& option : command.options) {
            if (option.positional) continue;
            for (const auto& name : split(option.names)) {
                const bool is_long = name.starts_with("--");
                out += begin + (is_long ? "-l " : "-s ") + name.substr(is_long ? 2 : 1) +
                       (option.type.empty() ? "" : " -r") + " -d " + quoted_for_fish(option.help) +
                       "\n";
            }
        }
    }
    return out;
}

// Text of a manual page, without commands of the formatter.
std::string roff(const std::string& text) {
    std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
    for (const char c : text)
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    return out;
}

}  // namespace

std::vector<CommandInfo> command_tree(const CLI::App& app) {
    std::vector<CommandInfo> all;
    add(app, "", all);
    return all;
}

std::string completion_script(const std::vector<CommandInfo>& commands, const std::string& shell) {
    if (shell == "fish") return fish_script(commands);
    const std::string compatible =
        shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
    return compatible + bash_script(commands);
}

std::string manual_page(const std::vector<CommandInfo>& commands, const std::string& version) {
    std::string out = ".TH PLIMSOLL 1 \"\" \"plimsoll " + roff(version) + "\"\n";
    for (const auto& command : commands) {
        if (command.path.empty()) {
            out += ".SH NAME\nplimsoll \\- " + roff(command.help) +
                   "\n.SH SYNOPSIS\n.B plimsoll\n[\\fIoptions\\fR] \\fIcommand\\fR\n.SH OPTIONS\n";
        } else {
            out += ".SS " + roff("plimsoll " + command.path) + "\n" + roff(command.help) + "\n";
        }
        for (const auto& option : command.options) {
            if (!command.path.empty() && option.names.ends_with("--help")) continue;
            out += ".TP\n\\fB" + roff(option.names) + "\\fR" +
                   (option.type.empty() ? "" : " " + roff(option.type)) +
                   (option.required ? " (required)" : "") + "\n" + roff(option.help) + "\n";
        }
        if (command.path.empty()) out += ".SH COMMANDS\n";
    }
    return out + ".SH EXIT STATUS\n.nf\n" + roff(terminal::kExitStatusText) + "\n.fi\n";
}

std::string description_json(const std::vector<CommandInfo>& commands) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& command : commands) {
        auto options = nlohmann::ordered_json::array();
        for (const auto& option : command.options) {
            options.push_back({{"names", option.names},
                               {"type", option.type},
                               {"help", option.help},
                               {"positional", option.positional},
                               {"required", option.required}});
        }
        all.push_back({{"command", command.path},
                       {"help", command.help},
                       {"options", std::move(options)},
                       {"commands", command.commands}});
    }
    return nlohmann::ordered_json{{"commands", std::move(all)},
                                  {"exit_status", terminal::kExitStatusText}}
        .dump(1);
}

}  // namespace plimsoll::cli
