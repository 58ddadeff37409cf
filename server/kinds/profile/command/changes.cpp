#include "server/kinds/profile/command/changes.hpp"

#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {
namespace {

using nlohmann::json;

struct Figure {
    std::string name;
    std::string unit;
    double value = 0;
};

void add_curve(const std::string& model, const json& curve, std::vector<Figure>& figures) {
    const auto found = curve.find("recommended_items_per_second");
    if (found == curve.end() || !found->is_number()) return;
    figures.push_back({model + curve.value("name", ""), curve.value("items", "items") + "/s",
                       found->get<double>()});
}

// A member of a report, if present; reports of other programs may lack it.
std::vector<Figure> figures_of(const json& report) {
    std::vector<Figure> figures;
    if (const auto engine = report.find("engine"); engine != report.end() && engine->is_object()) {
        if (engine->contains("batches")) add_curve("", engine->at("batches"), figures);
        for (const auto* member : {"peak", "products", "rows", "attention"}) {
            for (const auto& rate : engine->value(member, json::array())) {
                const auto method = rate.value("method", "");
                figures.push_back({rate.value("name", "") + (method.empty() ? "" : ", " + method),
                                   rate.value("unit", ""), rate.value("value", 0.0)});
            }
        }
    }
    for (const auto& model : report.at("results")) {
        const auto name = model.value("model_name", "");
        if (const auto rate = model.find("items_per_second");
            rate != model.end() && rate->is_number()) {
            figures.push_back({name, "items/s", rate->get<double>()});
        }
        for (const auto& curve : model.value("lengths", json::array())) {
            add_curve(name + " ", curve, figures);
        }
    }
    return figures;
}

std::string percent(double value) {
    char text[48];
    std::snprintf(text, sizeof text, "%+.1f %%", value);
    return text;
}

}  // namespace

std::string changes_text(const terminal::Terminal& terminal, const json& before, const json& now) {
    std::map<std::string, double> was;
    for (const auto& figure : figures_of(before)) was[figure.name] = figure.value;
    std::vector<std::vector<std::string>> rows = {
        {"SINCE THE BASELINE", "BEFORE", "NOW", "CHANGE"}};
    for (const auto& figure : figures_of(now)) {
        const auto found = was.find(figure.name);
        if (found == was.end() || found->second == 0) continue;
        rows.push_back({figure.name, format_figure(found->second) + " " + figure.unit,
                        format_figure(figure.value) + " " + figure.unit,
                        percent((figure.value / found->second - 1) * 100)});
    }
    if (rows.size() == 1) return "The baseline and this report have no measurement in common.";
    return format_table(terminal, rows);
}

}  // namespace plimsoll::jobs::profile
