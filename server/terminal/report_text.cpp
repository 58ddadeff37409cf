#include "server/terminal/report_text.hpp"

#include "engine/base/json.hpp"

#include <algorithm>

namespace plimsoll::terminal {
namespace {

constexpr std::size_t kWidestCell = 72;
constexpr int kWidestBin = 40;
constexpr std::size_t kMaxBars = 20;

std::string readable(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

std::string scalar(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_null()) return "–";
    if (value.is_number_integer()) return format_count(value.get<std::int64_t>());
    if (value.is_number()) {
        char text[32];
        std::snprintf(text, sizeof text, "%.6g", value.get<double>());
        return text;
    }
    return value.dump();
}

std::string cell(const json& value) {
    std::string text = scalar(value);
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.size() > kWidestCell) {
        text.resize(kWidestCell);
        while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();
        if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
        text += "…";
    }
    return text;
}

bool is_histogram(const json& value) {
    return value.is_array() && !value.empty() && value[0].is_object() && value[0].size() == 3 &&
           value[0].contains("from") && value[0].contains("to") && value[0].contains("count");
}

// Neighbours put together until the bars fit a screen.
json coarse(const json& bins) {
    const std::size_t step = (bins.size() + kMaxBars - 1) / kMaxBars;
    json merged = json::array();
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (i % step == 0) {
            merged.push_back(bins[i]);
            continue;
        }
        auto& bar = merged.back();
        bar["to"] = bins[i].at("to");
        bar["count"] =
            bar.value("count", std::int64_t{0}) + bins[i].value("count", std::int64_t{0});
    }
    return merged;
}

std::string bars(const Terminal& terminal, const json& bins) {
    std::int64_t max = 1;
    // Beside the edges of a bin and its count.
    const int widest = std::clamp(terminal.width() - 30, 8, kWidestBin);
    int decimals = 0;  // of the edges: none where all are whole numbers
    for (const auto& bin : bins) {
        max = std::max(max, bin.value("count", std::int64_t{0}));
        if (!bin["from"].is_number_integer() || !bin["to"].is_number_integer()) decimals = 2;
    }
    std::string text;
    for (const auto& bin : bins) {
        const auto count = bin.value("count", std::int64_t{0});
        auto length =
            static_cast<int>(static_cast<double>(count) / static_cast<double>(max) * widest);
        if (count > 0) length = std::max(length, 1);
        std::string bar;
        for (int i = 0; i < length; ++i) bar += "█";
        char edges[48];
        std::snprintf(edges, sizeof edges, "  %6.*f … %5.*f  ", decimals, bin.value("from", 0.0),
                      decimals, bin.value("to", 0.0));
        text += edges + terminal.paint(Style::accent, bar) +
                (count > 0 ? " " + format_count(count) : "") + "\n";
    }
    return text;
}

void append_object(const Terminal& terminal, const json& object, std::string& text);

void append_member(const Terminal& terminal, const std::string& name, const json& value,
                   std::string& text) {
    const auto heading = terminal.paint(Style::bold, readable(name));
    if (is_histogram(value)) {
        text += "\n" + heading + "\n" + bars(terminal, coarse(value));
    } else if (value.is_array()) {
        if (value.empty()) return;
        text += "\n" + heading + "\n";
        if (!value[0].is_object()) {
            for (const auto& entry : value) text += "  " + cell(entry) + "\n";
            return;
        }
        std::vector<std::vector<std::string>> rows(1);
        for (const auto& [column, unused] : value[0].items()) rows[0].push_back(readable(column));
        for (const auto& entry : value) {
            auto& row = rows.emplace_back();
            for (const auto& [column, unused] : value[0].items()) {
                const auto found = entry.find(column);
                row.push_back(found == entry.end() ? "" : cell(*found));
            }
        }
        text += format_table(terminal, rows) + "\n";
    } else if (value.is_object()) {
        const bool flat = std::none_of(value.begin(), value.end(),
                                       [](const json& v) { return v.is_structured(); });
        if (!flat) {
            append_object(terminal, value, text);
            return;
        }
        text += heading + ":";
        for (const auto& [member, entry] : value.items())
            text += "  " + readable(member) + " " + scalar(entry);
        text += "\n";
    } else {
        text += heading + ": " + scalar(value) + "\n";
    }
}

void append_object(const Terminal& terminal, const json& object, std::string& text) {
    // Short members first, tables and bars below them.
    for (const bool lists : {false, true}) {
        for (const auto& [name, value] : object.items())
            if (value.is_array() == lists) append_member(terminal, name, value, text);
    }
}

}  // namespace

std::string report_text(const Terminal& terminal, const json& report) {
    std::string text;
    append_object(terminal, report, text);
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace plimsoll::terminal
