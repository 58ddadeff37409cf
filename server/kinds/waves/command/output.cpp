#include "server/kinds/waves/command/output.hpp"

#include "engine/base/json.hpp"
#include "engine/waves/output/count_picture.hpp"
#include "engine/waves/output/json.hpp"
#include "engine/waves/output/text.hpp"
#include "engine/waves/output/words.hpp"
#include "server/base/text_table.hpp"
#include "server/jobs/records/results_converter.hpp"
#include "server/terminal/command_context.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

namespace plimsoll::jobs::waves {
namespace {

namespace ew = ::plimsoll::waves;
namespace fs = std::filesystem;
using ew::KeyNote;
using ew::SymbolReport;
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

constexpr std::size_t kShown = 20;

std::string number(const json& value, const char* format) {
    if (!value.is_number()) return "–";
    char text[32];
    std::snprintf(text, sizeof text, format, value.get<double>());
    return text;
}

std::vector<std::string> row_of(const json& symbol) {
    const json& live = symbol.at("live");
    const json& best = symbol.at("best");
    std::vector<std::string> row = {symbol.value("symbol", "")};
    if (live.is_null())
        row.insert(row.end(), {"nothing", "", ""});
    else
        row.insert(row.end(), {live.value("pattern", ""), number(live.at("target"), "%.6g"),
                               number(live.at("invalidation"), "%.6g")});
    row.push_back(number(symbol.at("last_close"), "%.6g"));
    if (best.is_null())
        row.insert(row.end(), {"none", "", ""});
    else
        row.insert(row.end(), {best.value("pattern", ""),
                               number(best.at(best.at("rarity").is_null() ? "score" : "rarity"),
                                      best.at("rarity").is_null() ? "%.3f" : "%.1f"),
                               number(best.at("p_value"), "%.3g")});
    return row;
}

std::string ranking_text(const json& summary, std::size_t width) {
    const json& ranking = summary.at("ranking");
    const bool rare = summary.value("ranked_by", "") == "rarity";
    std::vector<std::vector<std::string>> rows = {{"SYMBOL", "LIVE NOW", "TARGET", "INVALID AT",
                                                   "LAST", "BEST OF ALL", rare ? "RARITY" : "SCORE",
                                                   "P"}};
    for (std::size_t i = 0; i < std::min(ranking.size(), kShown); ++i)
        rows.push_back(row_of(ranking[i]));
    std::string text = table_text(rows, width);
    const std::int64_t more = static_cast<std::int64_t>(ranking.size() - (rows.size() - 1)) +
                              summary.value("ranking_omitted", std::int64_t{0});
    if (more > 0) text += std::to_string(more) + " more: plimsoll results JOB --format csv\n";
    return text;
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
            if (options.images != "png") save(".svg", drawing::svg_of(picture));
            if (options.images.empty() || options.images == "svg") continue;
            save(".png", need(drawing::png_of(picture)));
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

std::string summary_text(const json& summary, std::size_t width) {
    std::string text = ranking_text(summary, width);
    for (const json& failed : summary.at("errors"))
        text += failed.value("custom_id", "") + " failed: " + failed.value("error", "") + "\n";
    if (summary.value("ranked_by", "") == "rarity")
        text +=
            "Rarity is -ln of the number of such counts in a random walk of the same length: 3 is "
            "one in 20 walks.\n";
    const auto surrogates = summary.value("surrogates", std::int64_t{0});
    text += surrogates > 0
                ? "Compared with " + std::to_string(surrogates) +
                      " chance series per symbol. A small p means that the series differs from "
                      "chance, not that the count will come true.\n"
                : "Not compared with chance: use --set surrogates=100 to assess scores.\n";
    text += std::to_string(summary.value("bars", std::int64_t{0})) + " bars, " +
            std::to_string(summary.value("starts", std::int64_t{0})) + " starts, " +
            std::to_string(summary.value("valid", std::int64_t{0})) +
            " valid counts; complete: " + (summary.value("complete", false) ? "yes" : "no") + "\n";
    if (summary.at("seconds").is_number())
        text += "  " + number(summary.at("seconds"), "%.3f") + " s of CPU time to search\n";
    for (const json& omission : summary.at("omissions"))
        text += "  " + omission.get<std::string>() + "\n";
    const json& computed = summary.at("computed");
    std::set<std::string> nodes;
    for (const json& it : computed) nodes.insert(it.value("node", ""));
    for (const json& it : computed) {
        const auto symbols = it.value("symbols", std::int64_t{0});
        const auto chances = it.value("surrogates", std::int64_t{0});
        const std::string why = it.value("why", "");
        text += "Searched by " + it.value("by", "") +
                (nodes.size() > 1 ? " of " + it.value("node", "") : "") + ": " +
                std::to_string(symbols) + (symbols == 1 ? " symbol" : " symbols") +
                (chances > 0 ? " and " + std::to_string(chances) + " chance series." : ".") +
                (why.empty() ? "" : " ") + why + "\n";
    }
    if (summary.contains("rarity_note") && summary["rarity_note"].is_string())
        text += summary["rarity_note"].get<std::string>() + "\n";
    for (const json& note : summary.at("ignored_settings"))
        text += "  " + note.value("key", "") + " has no effect: " + note.value("reason", "") + "\n";
    return text;
}

}  // namespace plimsoll::jobs::waves
