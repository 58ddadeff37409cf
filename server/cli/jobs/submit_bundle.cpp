#include "server/cli/resource.hpp"

#include <fstream>
#include <iostream>

namespace plimsoll::cli {
namespace {

Result<json> read_specs(std::istream& in) {
    json jobs = json::array();
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        auto spec = json::parse(line, nullptr, false);
        if (!spec.is_object()) {
            return fail(Errc::invalid_input,
                        "Line " + std::to_string(number) +
                            R"( is not a job: {"kind": …, "args": {…}}, one per line.)");
        }
        jobs.push_back(std::move(spec));
    }
    return jobs;
}

Result<json> read_specs(const std::string& file) {
    if (file == "-") return read_specs(std::cin);
    std::ifstream in(file);
    if (!in) return fail(Errc::invalid_input, "The file cannot be read.", file);
    return read_specs(in);
}

int submit_bundle_file(const CommandContext& context, const std::string& file, bool per_item) {
    auto api = need(client::signed_in());
    auto jobs = need(read_specs(file));
    const json request = {{"mode", per_item ? "per_item" : "all_or_nothing"},
                          {"jobs", std::move(jobs)}};
    auto bundle = need(api.post_json("/v1/job-bundles", request));
    std::size_t refused = 0;
    std::size_t number = 0;
    for (const auto& item : bundle.at("items")) {
        ++number;
        if (item.at("outcome") != "refused") {
            if (!context.json) context.terminal.line(item.value("job_id", ""));
            continue;
        }
        ++refused;
        context.terminal.note("Job " + std::to_string(number) + ": " + item.value("detail", ""));
    }
    if (context.json) context.terminal.line(bundle.dump(2));
    const auto status = refused == 0        ? terminal::ExitStatus::done
                        : refused == number ? terminal::ExitStatus::failed
                                            : terminal::ExitStatus::partly;
    return static_cast<int>(status);
}

}  // namespace

void add_submit_bundle(CLI::App& app, CommandContext& context) {
    struct Options {
        std::string file;
        bool per_item = false;
    };
    const auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("submit-bundle", "Submit many jobs in one call");
    command
        ->add_option("file", options->file,
                     "One job per line, as the JSON body of POST /v1/jobs; - reads standard input")
        ->required();
    command->add_flag("--per-item", options->per_item,
                      "Accept or refuse each job individually (default: all or none)");
    command->callback([&context, options] {
        context.exit_code = submit_bundle_file(context, options->file, options->per_item);
    });
}

}  // namespace plimsoll::cli
