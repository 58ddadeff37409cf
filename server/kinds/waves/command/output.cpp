#include "server/kinds/waves/command/output.hpp"

#include "engine/waves/output/count_picture.hpp"
#include "engine/waves/output/csv.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/output/text.hpp"
#include "engine/waves/output/words.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::waves {
namespace {

namespace ew = ::plimsoll::waves;
namespace fs = std::filesystem;
using ew::KeyNote;
using ew::SymbolReport;
using nlohmann::json;

}  // namespace

std::string render(const std::vector<SymbolReport>& reports, const Options& options,
                   const ew::Settings& settings, const std::vector<KeyNote>& notes) {
    namespace out = ew::output;
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
        text = json{{"mode", settings.mode == ew::Mode::standard ? "standard" : "compatible"},
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

Result<void> write_images(const std::vector<SymbolReport>& reports, const Options& options,
                          const ew::Settings& settings) {
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
                ew::output::picture_of(ew::output::chart_of(report, report.counts[i]));
            const auto save = [&](const char* ending, const std::string& bytes) {
                return write(path.string() + ending, bytes);
            };
            if (options.images != "png") {
                if (auto done = save(".svg", ew::output::svg_of(picture)); !done) return done;
            }
            if (options.images.empty() || options.images == "svg") continue;
            const auto png = ew::output::png_of(picture);
            if (!png) return fail(png.error());
            if (auto done = save(".png", *png); !done) return done;
        }
    }
    return {};
}

Result<void> write_profile(const terminal::CommandContext& context,
                           const std::vector<SymbolReport>& reports, const ew::Settings& settings) {
    if (!settings.profile) return {};
    std::error_code error;
    fs::create_directories(settings.out_dir, error);
    const std::string file = fs::path(settings.out_dir) / "profile_waves.txt";
    if (auto done = write(file, ew::output::profile_text(reports)); !done) return done;
    context.terminal.note("Profile: " + file);
    return {};
}

}  // namespace plimsoll::jobs::waves
