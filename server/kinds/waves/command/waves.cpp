#include "engine/base/json.hpp"
#include "engine/text/utf8.hpp"
#include "engine/waves/output/check.hpp"
#include "engine/waves/output/follow_step.hpp"
#include "engine/waves/output/text.hpp"
#include "engine/waves/report/scan.hpp"
#include "engine/waves/series/price_reader.hpp"
#include "engine/waves/series/price_rows.hpp"
#include "engine/waves/settings/settings.hpp"
#include "server/client/upload.hpp"
#include "server/jobs/command.hpp"
#include "server/kinds/waves/command/output.hpp"
#include "server/kinds/waves/command/price_file.hpp"
#include "server/terminal/command_context.hpp"
#include "server/terminal/files/input_file.hpp"
#include "server/terminal/files/records_file.hpp"
#include "server/terminal/files/yaml_json.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::waves {
namespace {

namespace ew = ::plimsoll::waves;
namespace fs = std::filesystem;
using ew::KeyNote;
using ew::SymbolReport;
using terminal::CommandContext;
using terminal::need;
using terminal::Refused;

// Reads the files again; `whole_lines`: without a last line that is still being written.
using ReadPrices = std::function<std::vector<::plimsoll::waves::SymbolPrices>(bool whole_lines)>;

// How soon a new bar is noticed.
constexpr std::chrono::milliseconds kBetweenLooks{200};

class Following {
  public:
    Following(const ew::Settings& settings, bool as_text)
        : settings_(settings), as_text_(as_text) {}

    // Reports the new bars; of new symbols, the last `told` ones.
    void take(const ew::SymbolPrices& prices, std::size_t told) {
        const ew::Series& series = prices.series;
        if (!prices.ok())
            throw terminal::Refused(Errc::invalid_input,
                                    series.symbol + ": " + prices.errors.front().message);
        auto [it, fresh] = followers_.try_emplace(series.symbol, settings_);
        ew::Follower& follower = it->second;
        std::size_t known = follower.report().series.size();
        if (fresh) {
            known = series.size() - std::min(series.size(), told);
            need(follower.take(series, 0, known));
        }
        for (; known < series.size(); ++known) {
            const auto step = need(follower.add(series, known));
            tell(follower.report(), step);
        }
    }

  private:
    void tell(const ew::SymbolReport& report, const ew::FollowStep& step) const {
        std::cout << (as_text_ ? ew::output::step_text(report, step)
                               : ew::output::step_json(report, step).dump() + "\n")
                  << std::flush;
    }

    const ew::Settings& settings_;
    bool as_text_;
    std::map<std::string, ew::Follower> followers_;
};

// Changes when a file does.
std::vector<std::uintmax_t> sizes_of(const std::vector<std::string>& files) {
    std::vector<std::uintmax_t> sizes;
    for (const std::string& file : files) {
        std::error_code error;
        sizes.push_back(std::filesystem::file_size(file, error));
    }
    return sizes;
}

// Prints what each of the last options.replay bars changed and then, with options.follow, what
// every bar appended to the files changes, until the program is stopped.
void follow(const Options& options, const ::plimsoll::waves::Settings& settings,
            const ReadPrices& read) {
    need(ew::followable(settings));
    if (options.format == "csv")
        throw terminal::Refused(Errc::invalid_input,
                                "--replay and --follow write only text or jsonl.", "--format");
    Following following(settings, options.format == "text");
    const auto look = [&](std::size_t told) {
        for (const auto& prices : read(options.follow)) following.take(prices, told);
    };
    auto sizes = sizes_of(options.files);
    look(static_cast<std::size_t>(options.replay));
    while (options.follow) {
        std::this_thread::sleep_for(kBetweenLooks);
        auto now = sizes_of(options.files);
        if (now == sizes) continue;
        sizes = std::move(now);
        look(0);
    }
}

std::string file_contents(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw Refused(Errc::invalid_input, "The file cannot be read.", name);
    text::Utf8Input decoder;
    std::string content(decoder.feed(text.view()));
    return content.append(decoder.finish());
}

// The configuration's keys, and over them those of --set: together, since some imply others.
json given_settings(const Options& options) {
    json given = json::object();
    if (!options.config.empty()) {
        given = need(terminal::read_yaml(options.config));
        if (!given.is_object())
            throw Refused(Errc::invalid_input, "The file has no settings (key: value).",
                          options.config);
    }
    given.update(need(ew::read_assignments(options.assignments)));
    return given;
}

std::vector<KeyNote> load_settings(const Options& options, ew::Settings& settings) {
    need(ew::apply_preset(options.preset, settings));
    const auto given = given_settings(options);
    auto notes = need(ew::apply_settings(given, settings));
    // No driver is ever loaded into this program.
    if (settings.use_gpu == ew::UseGpu::always)
        notes.push_back(
            {"use_gpu", "This command searches on the CPU; jobs use the workers' devices."});
    if (given.contains("save_images_top_n") && !settings.save_images)
        notes.push_back({"save_images_top_n", "No charts are written (save_images)."});
    if (given.contains("out_dir") && !settings.save_images && !settings.profile)
        notes.push_back({"out_dir", "No files are written (save_images, profile)."});
    return notes;
}

// Checks the user's own count instead of searching.
void check_needs(const Options& options) {
    constexpr std::array<std::string_view, 3> kRead = {"mode", "weights", "days"};
    for (const auto& assignment : options.assignments) {
        const auto key = assignment.substr(0, assignment.find('='));
        if (std::ranges::find(kRead, key) != kRead.end()) continue;
        throw Refused(Errc::invalid_input,
                      "--set " + key +
                          " has no effect with --check, which reads only mode, weights and days.");
    }
}

std::vector<ew::SymbolPrices> read_files(const Options& options,
                                         const std::optional<ew::Zone>& zone,
                                         bool whole_lines = false) {
    std::vector<ew::SymbolPrices> all;
    std::set<std::string> seen;
    std::set<std::string> known;
    const auto wanted = need(wanted_symbols(options.symbols));
    for (const std::string& name : options.files) {
        auto bytes = file_contents(name);
        if (whole_lines) bytes.resize(bytes.find_last_of('\n') + 1);
        const fs::path path(name);
        if (const auto wrong = terminal::complaint_about_kind(bytes); !wrong.empty())
            throw Refused(Errc::invalid_input, wrong, name);
        const auto format =
            client::is_csv(name) ? ew::PriceFormat::csv : ew::format_of_prices(bytes);
        auto reading = need(price_reading(options.columns));
        reading.symbol = path.stem();
        reading.zone = zone;
        std::string told;
        auto symbols = ew::read_prices(bytes, format, reading, &told);
        if (!symbols) throw Refused(with_column_flag(symbols.error(), name));
        if (!told.empty()) std::cerr << name << ": read with " << told << "\n";
        for (auto& prices : *symbols) {
            const std::string& symbol = prices.series.symbol;
            known.insert(symbol);
            if (!wanted.empty() && !wanted.contains(symbol)) continue;
            if (!seen.insert(symbol).second)
                throw Refused(Errc::invalid_input,
                              "The symbol \"" + symbol + "\" is in more than one file.", name);
            all.push_back(std::move(prices));
        }
    }
    std::set<std::string> missing = wanted;
    for (const std::string& symbol : known) missing.erase(symbol);
    if (!missing.empty()) throw Refused(Errc::invalid_input, ew::unknown_symbols(missing, known));
    return all;
}

// Scans on other threads while this one shows their progress.
Result<std::vector<SymbolReport>> scan_with_bar(const CommandContext& context,
                                                std::vector<ew::SymbolPrices> symbols,
                                                const ew::Settings& settings) {
    using namespace std::chrono_literals;
    Progress progress;
    progress.set_total(static_cast<std::int64_t>(symbols.size()));
    Result<std::vector<SymbolReport>> reports = fail(Errc::internal, "The search did not run.");
    std::mutex mutex;
    std::condition_variable ended;
    bool over = false;
    std::jthread scanning([&] {
        reports = ew::scan(std::move(symbols), settings, progress);
        const std::lock_guard lock(mutex);
        over = true;
        ended.notify_one();
    });
    std::unique_lock lock(mutex);
    const auto wait = [&] { return ended.wait_for(lock, 200ms, [&] { return over; }); };
    if (wait()) return reports;  // too short for a bar
    terminal::ProgressBar bar(context.terminal, "waves");
    do {
        bar.show(progress.done(), progress.total());
    } while (!wait());
    bar.finish();
    return reports;
}

// 0: counted; 1: no symbol could be; 2: wrong usage or unreadable files.
int count(const CommandContext& context, const Options& options) {
    if (options.list_keys) {
        std::cout << ew::output::keys_text();
        return 0;
    }
    ew::Settings settings;
    const auto notes = load_settings(options, settings);
    if (!options.images.empty() && !settings.save_images)
        throw Refused(Errc::invalid_input,
                      "--images has no effect without --set save_images=true.");
    if (options.files.empty())
        throw Refused(Errc::invalid_input, "Name at least one file of prices.");
    std::optional<ew::Zone> zone;
    if (!options.time_zone.empty()) zone = need(ew::Zone::named(options.time_zone));
    if (options.follow || options.replay > 0) {
        follow(options, settings,
               [&](bool whole_lines) { return read_files(options, zone, whole_lines); });
        return 0;
    }
    auto symbols = read_files(options, zone);
    if (!options.check.empty()) {
        check_needs(options);
        if (options.format == "csv" || options.format == "jsonl")
            throw Refused(Errc::invalid_input, "--check writes only text or json.", "--format");
        const auto checked = need(
            ew::output::check_text(symbols, options.check, settings, options.format != "text"));
        write(options.output, checked.text);
        return checked.valid ? 0 : 1;
    }
    const auto reports = need(scan_with_bar(context, std::move(symbols), settings));
    write(options.output, render(reports, options, settings, notes));
    write_images(reports, options, settings);
    write_profile(context, reports, settings);
    for (const SymbolReport& report : reports)
        if (report.ok()) return 0;
    return 1;
}

void add(CLI::App& app, CommandContext& context) {
    const auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("waves", "Count Elliott waves in price files");
    command->add_option("files", options->files, "Prices as .csv, .tsv, .txt, .jsonl or .json")
        ->check(CLI::ExistingFile);
    command->add_option("--preset", options->preset, "Preset: whole, default, high-perf or speed");
    command
        ->add_option("--config", options->config,
                     "Settings as YAML or JSON, for example a configuration of the wave pipeline")
        ->check(CLI::ExistingFile);
    command->add_option("--set", options->assignments, "Change a setting: key=value; repeatable");
    auto* keys = command->add_flag("--keys", options->list_keys, "List all settings and exit");
    command->add_option("--column", options->columns,
                        "Map a member to a column of the files: close=Schluss; repeatable");
    command->add_option("--symbols", options->symbols, kSymbolsHelp)->delimiter(',');
    command->add_option("--format", options->format, "Output format: text, json, jsonl or csv")
        ->check(CLI::IsMember({"text", "json", "jsonl", "csv"}))
        ->capture_default_str();
    command->add_option("--output,-o", options->output,
                        "Write to this file instead of standard output");
    auto* images = command
                       ->add_option("--images", options->images,
                                    "Image format of save_images: svg (default), png or both")
                       ->check(CLI::IsMember({"svg", "png", "both"}));
    auto* output = command->get_option("--output");
    auto* check = command->add_option(
        "--check", options->check,
        "Check a count of your own: \"impulse up 38,45,48,57,76,84\" (bars or dates)");
    auto* replay =
        command
            ->add_option("--replay", options->replay, "Show what each of the last N bars changed")
            ->check(CLI::Range(1, 100'000));
    auto* follow =
        command->add_flag("--follow", options->follow,
                          "Wait for bars appended to the files, and show what each changes");
    for (auto* flag : {check, replay, follow}) images->excludes(flag);
    for (auto* flag : {replay, follow}) output->excludes(flag);
    for (auto* flag : {replay, follow}) check->excludes(flag);
    command->add_option("--time-zone", options->time_zone,
                        "Time zone of times without one, and of the report: Europe/Berlin, +02:00, "
                        "… (default: the file's, else UTC)");
    for (auto* option : command->get_options([&](const CLI::Option* one) {
             return one != keys && one != command->get_help_ptr();
         })) {
        keys->excludes(option);
        option->remove_excludes(keys);  // one flag of help says it
    }
    command->callback([options, &context] {
        if (context.json) options->format = "json";
        try {
            context.exit_code = count(context, *options);
        } catch (Refused& refused) {  // unreadable files are bad input, whatever their error says
            refused.status = terminal::ExitStatus::usage;
            throw;
        }
    });
}

}  // namespace

constinit extern const Command kCommand{
    .kind = "waves",
    .add_local = add,
    .summary_text = summary_text,
    .read_file = read_price_file,
    .list = {
        .flag = "--symbols", .help = kSymbolsHelp, .member = "symbols", .read = listed_symbols}};

}  // namespace plimsoll::jobs::waves
