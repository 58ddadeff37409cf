#include "server/app/settings_rules.hpp"
#include "server/app/settings_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <yaml-cpp/yaml.h>

namespace plimsoll::app {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

// Of a `.env` file, by its form: each line is empty, a comment or NAME=VALUE. Nothing of others.
Variables variables_of(const std::string& text) {
    static const std::regex kLine(
        R"re(\s*(?:export\s+)?([A-Z_][A-Z0-9_]*)=(?:"([^"]*)"|'([^']*)'|([^#]*?))\s*(?:#.*)?)re");
    Variables variables;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto start = line.find_first_not_of(" \t\r");
        if (start == line.npos || line[start] == '#') continue;
        std::smatch parts;
        if (!std::regex_match(line, parts, kLine)) return {};
        variables[parts[1]] = parts[2].str() + parts[3].str() + parts[4].str();
    }
    return variables;
}

class Loader {
  public:
    explicit Loader(Settings& settings) : settings_(settings) {}

    const Sources& sources() const { return sources_; }

    Result<void> assign(const std::string& key, const std::string& value,
                        const std::string& source) {
        const auto entry =
            std::ranges::find(table(), key, [](const Entry& one) { return one.about.key; });
        if (entry == table().end()) {
            return fail(Errc::invalid_input,
                        "Unknown setting " + key + "; --print-config lists all settings.", source);
        }
        const auto broken = entry->set(settings_, value);
        if (!broken.empty()) {
            return fail(Errc::invalid_input,
                        key + " " + broken + (entry->secret ? "." : ", not \"" + value + "\"."),
                        source);
        }
        sources_.insert_or_assign(key, source);
        return {};
    }

    Result<void> assign_file(const std::filesystem::path& file) {
        std::ifstream in(file);
        if (!in) return fail(Errc::invalid_input, "The file cannot be read.", file.string());
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        if (const auto variables = variables_of(text); !variables.empty())
            return assign_variables(variables, file.string());
        try {
            return assign_yaml(YAML::Load(text), file.string());
        } catch (const YAML::Exception& error) {
            return fail(Errc::invalid_input, error.what(), file.string());
        }
    }

  private:
    // In groups, or each by its whole key, as --print-config prints them.
    Result<void> assign_yaml(const YAML::Node& root, const std::string& file) {
        if (!root.IsMap() && !root.IsNull()) {
            return fail(Errc::invalid_input,
                        "The file must hold settings in groups (YAML), or lines of NAME=VALUE.",
                        file);
        }
        for (const auto& group : root) {
            const auto name = group.first.as<std::string>();
            if (group.second.IsScalar() && name.find('.') != name.npos) {
                TRY_DO(assign(name, group.second.as<std::string>(), file));
                continue;
            }
            if (!group.second.IsMap())
                return fail(Errc::invalid_input, name + " must be a group of settings.", file);
            for (const auto& entry : group.second) {
                TRY_DO(assign(name + "." + entry.first.as<std::string>(),
                              entry.second.as<std::string>(), file));
            }
        }
        return {};
    }

    // Those of other programs share the file.
    Result<void> assign_variables(const Variables& variables, const std::string& file) {
        for (const auto& entry : table()) {
            const auto found = variables.find(entry.about.environment);
            if (found == variables.end()) continue;
            TRY_DO(assign(std::string(entry.about.key), found->second, file));
        }
        return {};
    }

    Settings& settings_;
    Sources sources_;
};

Result<Settings> load(const std::filesystem::path& file, const std::vector<Assignment>& given,
                      jobs::Reader reader) {
    Settings settings;
    settings.file = file;
    settings.given = given;
    for (const auto& entry : table()) entry.set(settings, std::string(entry.fallback));
    Loader loader(settings);
    if (!file.empty()) {
        TRY_DO(loader.assign_file(file));
    }
    for (const auto& [key, value, source] : given)
        TRY_DO(loader.assign(key, value, source.empty() ? "--" + key : source));
    settings.http.host = without_brackets(settings.http.host);
    TRY_DO(check_together(settings, loader.sources(), reader));
    return settings;
}

}  // namespace

Result<Settings> load_settings(const std::filesystem::path& file,
                               const std::vector<Assignment>& flags, jobs::Reader reader) {
    std::vector<Assignment> given;
    for (const auto& entry : table()) {
        const std::string name(entry.about.environment);
        if (const char* value = std::getenv(name.c_str()))
            given.push_back({std::string(entry.about.key), value, name});
    }
    given.insert(given.end(), flags.begin(), flags.end());
    return load(file, given, reader);
}

Result<Settings> reload_settings(const Settings& settings) {
    return load(settings.file, settings.given, jobs::kServer);
}

}  // namespace plimsoll::app
