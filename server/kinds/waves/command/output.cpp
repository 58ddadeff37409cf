#include "server/kinds/waves/command/output.hpp"

#include "engine/waves/output/count_picture.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/output/text.hpp"
#include "engine/waves/output/words.hpp"
#include "server/jobs/records/csv.hpp"
#include "server/terminal/command_context.hpp"

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
using terminal::need;
using terminal::Refused;

// The columns of a count, and where its JSON has them.
constexpr std::pair<Column, const char*> kCountColumns[] = {
    {{"symbol"}, "/symbol"},
    {{"live"}, "/outlook/live"},
    {{"rank"}, "/rank"},
    {{"rule_name"}, "/rule_name"},
    {{"direction"}, "/direction"},
    {{"waves_done"}, "/waves_done"},
    {{"ensemble_score"}, "/ensemble_score"},
    {{"rarity"}, "/rarity"},
    {{"expected_by_chance"}, "/expected_by_chance"},
    {{"fibonacci"}, "/parts/fibonacci"},
    {{"time"}, "/parts/time"},
    {{"alternation"}, "/parts/alternation"},
    {{"channel"}, "/parts/channel"},
    {{"margins"}, "/parts/margins"},
    {{"rules"}, "/parts/rules"},
    {{"complexity"}, "/parts/complexity"},
    {{"start"}, "/date_start"},
    {{"end"}, "/date_end"},
    {{"pivots"}, "/pivots"},
    {{"prices"}, "/chart/values"},
    {{"invalidation"}, "/outlook/invalidation"},
    {{"invalidated"}, "/outlook/invalidated"},
    {{"target_1"}, "/outlook/targets/0/price"},
    {{"target_2"}, "/outlook/targets/1/price"},
    {{"target_3"}, "/outlook/targets/2/price"},
    {{"k"}, "/chance/k"},
    {{"surrogates"}, "/chance/surrogates"},
    {{"p_value"}, "/chance/p_value"},
    {{"p_value_pattern"}, "/chance/p_value_pattern"},
    {{"error"}, "/error"},
};

void append_count(std::string& out, std::span<const Column> columns, const json& count) {
    json row;
    for (const auto& [column, pointer] : kCountColumns) {
        const json::json_pointer place(pointer);
        if (!count.contains(place)) continue;
        json& cell = row[std::string(column.name)] = count.at(place);
        // Lists are separated by blanks.
        if (!cell.is_array()) continue;
        std::string list;
        for (const json& one : cell) list += (list.empty() ? "" : " ") + one.dump();
        cell = std::move(list);
    }
    append_csv_row(out, columns, {}, row);
}

// One line per count: those that are live at the last bar, then finished ones by rank and those
// under way; one error line for a symbol that failed.
std::string csv_of(const std::vector<SymbolReport>& reports) {
    std::vector<Column> columns;
    for (const auto& [column, pointer] : kCountColumns) columns.push_back(column);
    std::string out;
    append_csv_header(out, columns);
    for (const auto& report : reports) {
        if (!report.ok()) {
            const auto& [line, message] = report.errors.front();
            append_count(
                out, columns,
                {{"symbol", report.symbol},
                 {"error", (line > 0 ? "line " + std::to_string(line) + ": " : "") + message}});
            continue;
        }
        const auto add = [&](const ew::CountReport& it) {
            auto count = ew::output::count_json(report, it);
            for (std::size_t i = 0; i < report.counts.size(); ++i)
                if (report.counts[i].count.same_count(it.count)) count["rank"] = i + 1;
            append_count(out, columns, count);
        };
        std::ranges::for_each(report.live, add);
        for (const auto* list : {&report.counts, &report.open})
            for (const auto& it : *list)
                if (!it.outlook.live) add(it);
    }
    return out;
}

}  // namespace

std::string render(const std::vector<SymbolReport>& reports, const Options& options,
                   const ew::Settings& settings, const std::vector<KeyNote>& notes) {
    namespace out = ew::output;
    const std::string rarity_note = out::rarity_note(settings);
    std::string text;
    if (options.format == "csv") {
        text = csv_of(reports);
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

void write(const std::string& file, const std::string& text) {
    if (file.empty()) {
        std::cout << text << std::flush;
        return;
    }
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw Refused(Errc::invalid_input, "The file cannot be written.", file);
}

void write_images(const std::vector<SymbolReport>& reports, const Options& options,
                  const ew::Settings& settings) {
    if (!settings.save_images) return;
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
                write(path.string() + ending, bytes);
            };
            if (options.images != "png") save(".svg", ew::output::svg_of(picture));
            if (options.images.empty() || options.images == "svg") continue;
            save(".png", need(ew::output::png_of(picture)));
        }
    }
}

void write_profile(const terminal::CommandContext& context,
                   const std::vector<SymbolReport>& reports, const ew::Settings& settings) {
    if (!settings.profile) return;
    std::error_code error;
    fs::create_directories(settings.out_dir, error);
    const std::string file = fs::path(settings.out_dir) / "profile_waves.txt";
    write(file, ew::output::profile_text(reports));
    context.terminal.note("Profile: " + file);
}

}  // namespace plimsoll::jobs::waves
