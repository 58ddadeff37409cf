#include "server/app/settings_rules.hpp"
#include "server/app/settings_table.hpp"

#include <algorithm>
#include <cstdlib>

#include <yaml-cpp/yaml.h>

namespace plimsoll::app {
namespace {

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
        try {
            for (const auto& group : YAML::LoadFile(file.string())) {
                const auto name = group.first.as<std::string>();
                if (!group.second.IsMap()) {
                    return fail(Errc::invalid_input, name + " must be a group of settings.",
                                file.string());
                }
                for (const auto& entry : group.second) {
                    auto done = assign(name + "." + entry.first.as<std::string>(),
                                       entry.second.as<std::string>(), file.string());
                    if (!done) return done;
                }
            }
        } catch (const YAML::Exception& error) {
            return fail(Errc::invalid_input, error.what(), file.string());
        }
        return {};
    }

  private:
    Settings& settings_;
    Sources sources_;
};

}  // namespace

Result<Settings> load_settings(const std::filesystem::path& file,
                               const std::vector<Assignment>& flags, jobs::Reader reader) {
    Settings settings;
    for (const auto& entry : table()) entry.set(settings, std::string(entry.fallback));
    Loader loader(settings);
    if (!file.empty()) {
        if (auto done = loader.assign_file(file); !done) return fail(done.error());
    }
    for (const auto& entry : table()) {
        const std::string name(entry.about.environment);
        if (const char* value = std::getenv(name.c_str())) {
            auto done = loader.assign(std::string(entry.about.key), value, name);
            if (!done) return fail(done.error());
        }
    }
    for (const auto& [key, value] : flags) {
        if (auto done = loader.assign(key, value, "--" + key); !done) return fail(done.error());
    }
    settings.http.host = without_brackets(settings.http.host);
    if (auto done = check_together(settings, loader.sources(), reader); !done) {
        return fail(done.error());
    }
    return settings;
}

}  // namespace plimsoll::app
