#include "server/jobs/training_config/command/team_gpu_profiles.hpp"

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

std::string path_of(const std::string& id) {
    return "/v1/gpu-profiles/" + id;
}

}  // namespace

int put_gpu_profile(const Session& session, const std::string& id, const std::string& file) {
    std::ifstream input(file);
    std::stringstream text;
    if (!(input && text << input.rdbuf())) {
        return report_error(session, {Errc::not_found, "The file cannot be read.", file});
    }
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto made = api->send("PUT", path_of(id), text.str(), {{"content-type", "application/json"}});
    if (!made) return report_error(session, made.error());
    session.terminal.line(session.json ? made->body : id + " can be named by the team's jobs");
    return 0;
}

int remove_gpu_profile(const Session& session, const std::string& id) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto removed = api->send("DELETE", path_of(id));
    return removed ? 0 : report_error(session, removed.error());
}

int list_own_gpu_profiles(const Session& session) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto list = api->get_json("/v1/gpu-profiles");
    if (!list) return report_error(session, list.error());
    json own = json::array();
    for (const auto& card : list->at("items")) {
        if (card.value("custom", false)) own.push_back(card);
    }
    if (session.json) {
        session.terminal.line(own.dump(2));
        return 0;
    }
    std::vector<std::vector<std::string>> rows = {{"PROFILE", "NAME", "MEMORY"}};
    for (const auto& card : own) {
        char memory[32];
        std::snprintf(memory, sizeof memory, "%.1f GiB",
                      card.at("memory_bytes").at("value").get<double>() / (1 << 30));
        rows.push_back({card.at("id"), card.at("name"), memory});
    }
    session.terminal.line(rows.size() > 1
                              ? format_table(session.terminal, rows)
                              : "No cards of the team yet: plimsoll gpu-profiles add …");
    return 0;
}

}  // namespace plimsoll::client
