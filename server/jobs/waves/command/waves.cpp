#include "server/jobs/waves/command/waves.hpp"

#include "engine/waves/output/check.hpp"
#include "engine/waves/output/count_picture.hpp"
#include "engine/waves/output/csv.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/output/text.hpp"
#include "engine/waves/output/words.hpp"
#include "engine/waves/report/scan.hpp"
#include "engine/waves/series/price_reader.hpp"
#include "server/jobs/waves/command/waves_follow.hpp"
#include "server/terminal/yaml_json.hpp"

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

namespace plimsoll::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using waves::KeyNote;
using waves::SymbolReport;

Result<std::string> file_contents(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) return fail(Errc::invalid_input, "The file cannot be read.", name);
    return std::move(text).str();
}

Result<std::vector<KeyNote>> load_settings(const WavesOptions& options, waves::Settings& settings) {
    auto notes = waves::apply_preset(options.preset, settings);
    const auto also = [&](Result<std::vector<KeyNote>> more) {
        if (!more)
            notes = fail(more.error());
        else
            notes->insert(notes->end(), more->begin(), more->end());
    };
    if (notes && !options.config.empty()) {
        const auto config = read_yaml(options.config);
        if (!config) return fail(config.error());
        also(waves::apply_settings(*config, settings));
    }
    if (notes) also(waves::apply_assignments(options.assignments, settings));
    // No driver is ever loaded into this program.
    if (notes && settings.use_gpu == waves::UseGpu::always)
        notes->push_back({"use_gpu",
                          "This command searches on the processor's cores; jobs search on the "
                          "devices of the workers."});
    return notes;
}

Result<std::vector<waves::SymbolPrices>> read_files(const WavesOptions& options,
                                                    const std::optional<waves::Zone>& zone,
                                                    bool whole_lines = false) {
    std::vector<waves::SymbolPrices> all;
    std::set<std::string> seen;
    const std::set<std::string> wanted(options.symbols.begin(), options.symbols.end());
    for (const std::string& name : options.files) {
        auto bytes = file_contents(name);
        if (!bytes) return fail(bytes.error());
        if (whole_lines) bytes->resize(bytes->find_last_of('\n') + 1);
        const fs::path path(name);
        const auto format =
            path.extension() == ".csv" ? waves::PriceFormat::csv : waves::PriceFormat::json_lines;
        auto symbols = waves::read_prices(*bytes, format, {.symbol = path.stem(), .zone = zone});
        if (!symbols) return fail(symbols.error().code, symbols.error().message, name);
        for (auto& prices : *symbols) {
            const std::string& symbol = prices.series.symbol;
            if (!wanted.empty() && !wanted.contains(symbol)) continue;
            if (!seen.insert(symbol).second)
                return fail(Errc::invalid_input,
                            "The symbol \"" + symbol + "\" is in more than one file.", name);
            all.push_back(std::move(prices));
        }
    }
    for (const std::string& symbol : wanted)
        if (!seen.contains(symbol))
            return fail(Errc::invalid_input, "There is no symbol \"" + symbol + "\" in the files.");
    return all;
}

// Scans on other threads while this one draws how far they are.
Result<std::vector<SymbolReport>> scan_with_bar(const client::Session& session,
                                                std::vector<waves::SymbolPrices> symbols,
                                                const waves::Settings& settings) {
    using namespace std::chrono_literals;
    Progress progress;
    progress.set_total(static_cast<std::int64_t>(symbols.size()));
    Result<std::vector<SymbolReport>> reports = fail(Errc::internal, "The search did not run.");
    std::mutex mutex;
    std::condition_variable ended;
    bool over = false;
    std::jthread scanning([&] {
        reports = waves::scan(std::move(symbols), settings, progress);
        const std::lock_guard lock(mutex);
        over = true;
        ended.notify_one();
    });
    std::unique_lock lock(mutex);
    const auto wait = [&] { return ended.wait_for(lock, 200ms, [&] { return over; }); };
    if (wait()) return reports;  // too short for a bar
    client::ProgressBar bar(session.terminal, "waves");
    do {
        bar.show(progress.done(), progress.total());
    } while (!wait());
    bar.finish();
    return reports;
}

std::string render(const std::vector<SymbolReport>& reports, const WavesOptions& options,
                   const waves::Settings& settings, const std::vector<KeyNote>& notes) {
    namespace out = waves::output;
    const std::string rarity_note = out::rarity_note(settings);
    std::string text;
    if (options.format == "csv") {
        text = out::csv_header();
        for (const auto& report : reports) text += out::csv_rows(report);
    } else if (options.format == "jsonl") {
        for (const auto& report : reports)
            text += out::symbol_json(report, settings.profile).dump() + "\n";
    } else if (options.format == "json") {
        json without = json::array();
        for (const KeyNote& note : notes)
            without.push_back({{"key", note.key}, {"reason", note.reason}});
        json symbols = json::array();
        for (const auto& report : reports)
            symbols.push_back(out::symbol_json(report, settings.profile));
        text = json{{"mode", settings.mode == waves::Mode::standard ? "standard" : "compatible"},
                    {"ignored_settings", std::move(without)},
                    {"rarity_note", rarity_note.empty() ? json(nullptr) : json(rarity_note)},
                    {"symbols", std::move(symbols)}}
                   .dump(2) +
               "\n";
    } else {
        for (const auto& report : reports) text += out::symbol_text(report) + "\n";
        text += out::totals_text(reports);
        if (!rarity_note.empty()) text += "  " + rarity_note + "\n";
        if (settings.profile) text += out::time_text(reports);
        for (const KeyNote& note : notes)
            text += "  " + note.key + " has no effect: " + note.reason + "\n";
    }
    return text;
}

Result<void> write(const std::string& file, const std::string& text) {
    if (file.empty()) {
        std::cout << text << std::flush;
        return {};
    }
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) return fail(Errc::invalid_input, "The file cannot be written.", file);
    return {};
}

Result<void> write_images(const std::vector<SymbolReport>& reports, const WavesOptions& options,
                          const waves::Settings& settings) {
    if (!settings.save_images) return {};
    std::error_code error;
    fs::create_directories(settings.out_dir, error);
    for (const SymbolReport& report : reports) {
        // Symbols may hold anything; names of files must not leave the folder.
        std::string name = report.symbol;
        for (char& c : name)
            if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
        const auto count = std::min<std::size_t>(
            report.counts.size(), static_cast<std::size_t>(settings.save_images_top_n));
        for (std::size_t i = 0; i < count; ++i) {
            const auto path = fs::path(settings.out_dir) / (name + "-" + std::to_string(i + 1));
            const auto picture =
                waves::output::picture_of(waves::output::chart_of(report, report.counts[i]));
            const auto save = [&](const char* ending, const std::string& bytes) {
                return write(path.string() + ending, bytes);
            };
            if (options.images != "png") {
                if (auto done = save(".svg", waves::output::svg_of(picture)); !done) return done;
            }
            if (options.images == "svg") continue;
            const auto png = waves::output::png_of(picture);
            if (!png) return fail(png.error());
            if (auto done = save(".png", *png); !done) return done;
        }
    }
    return {};
}

int refuse(const client::Session& session, const Error& error) {
    client::report_error(session, error);
    return 2;
}

}  // namespace

int run_waves(const client::Session& session, const WavesOptions& options) {
    if (options.list_keys) {
        std::cout << waves::output::keys_text();
        return 0;
    }
    waves::Settings settings;
    const auto notes = load_settings(options, settings);
    if (!notes) return refuse(session, notes.error());
    if (options.files.empty())
        return refuse(session, {Errc::invalid_input, "Name at least one file of prices.", ""});
    std::optional<waves::Zone> zone;
    if (!options.time_zone.empty()) {
        const auto named = waves::Zone::named(options.time_zone);
        if (!named) return refuse(session, named.error());
        zone = *named;
    }
    if (options.follow || options.replay > 0) {
        const auto read = [&](bool whole_lines) { return read_files(options, zone, whole_lines); };
        const auto done = follow_waves(options, settings, read);
        return done ? 0 : refuse(session, done.error());
    }
    auto symbols = read_files(options, zone);
    if (!symbols) return refuse(session, symbols.error());
    if (!options.check.empty()) {
        const auto checked =
            waves::output::check_text(*symbols, options.check, settings, options.format != "text");
        if (!checked) return refuse(session, checked.error());
        const auto done = write(options.output, checked->text);
        return !done ? refuse(session, done.error()) : checked->valid ? 0 : 1;
    }
    const auto reports = scan_with_bar(session, std::move(*symbols), settings);
    if (!reports) return refuse(session, reports.error());
    for (auto&& done : {write(options.output, render(*reports, options, settings, *notes)),
                        write_images(*reports, options, settings)})
        if (!done) return refuse(session, done.error());
    for (const SymbolReport& report : *reports)
        if (report.ok()) return 0;
    return 1;
}

}  // namespace plimsoll::app
