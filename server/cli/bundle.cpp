#include "server/cli/rest_commands.hpp"

#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

using nlohmann::json;

Result<json> read_specs(std::istream& in) {
    json jobs = json::array();
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        auto spec = json::parse(line, nullptr, false);
        if (!spec.is_object()) {
            return fail(Errc::invalid_input,
                        "Line " + std::to_string(number) + " is not a JSON object.");
        }
        jobs.push_back(std::move(spec));
    }
    return jobs;
}

Result<json> read_specs(const std::string& file) {
    if (file == "-") return read_specs(std::cin);
    std::ifstream in(file);
    if (!in) return fail(Errc::invalid_input, "Cannot read " + file + ".");
    return read_specs(in);
}

}  // namespace

int submit_bundle(const Session& session, const std::string& file, bool per_item) {
    auto api = signed_in();
    if (!api) return report_error(session, api.error());
    auto jobs = read_specs(file);
    if (!jobs) return report_error(session, jobs.error());
    const json request = {{"mode", per_item ? "per_item" : "all_or_nothing"},
                          {"jobs", std::move(*jobs)}};
    auto bundle = api->post_json("/v1/job-bundles", request);
    if (!bundle) return report_error(session, bundle.error());
    bool refused = false;
    std::size_t number = 0;
    for (const auto& item : bundle->at("items")) {
        ++number;
        if (item.at("outcome") != "refused") {
            if (!session.json) session.terminal.line(item.value("job_id", ""));
            continue;
        }
        refused = true;
        session.terminal.note("Job " + std::to_string(number) + ": " + item.value("detail", ""));
    }
    if (session.json) session.terminal.line(bundle->dump(2));
    return refused ? 1 : 0;
}

}  // namespace plimsoll::client
