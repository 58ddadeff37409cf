#include "server/jobs/command.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "engine/models/store.hpp"
#include "server/base/text_table.hpp"
#include "server/jobs/settings.hpp"
#include "server/kinds/sentiment/command/commands.hpp"
#include "server/kinds/sentiment/command/scored_text.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/terminal/finding.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace plimsoll::jobs::sentiment {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string percent(const json& share) {
    return share.is_null() ? "–" : fmt::format("{:.1f} %", 100 * share.get<double>());
}

std::string figure(const json& number, int digits) {
    return number.is_null() ? "–" : fmt::format("{:.{}f}", number.get<double>(), digits);
}

std::string speed(const json& number) {
    return number.is_null() ? "–" : format_count(std::llround(number.get<double>()));
}

std::string models_text(std::size_t width, const json& compared) {
    const bool labelled = !compared.at("given").is_null();
    Rows rows = {{"MODEL", "TEXTS/S", "LOADED IN", "POSITIVE", "NEUTRAL", "NEGATIVE"}};
    if (labelled)
        for (const char* column : {"ACCURACY", "95 %", "MACRO F1", "ECE"})
            rows.front().emplace_back(column);
    for (const json& name : compared.at("models")) {
        const json& model = compared.at("comparison").at(name.get<std::string>());
        const json& labels = model.at("labels");
        rows.push_back({name, speed(model.at("items_per_second")),
                        fmt::format("{:.2f} s", model.at("load_time_ms").get<double>() / 1e3),
                        format_count(labels.at("positive")), format_count(labels.at("neutral")),
                        format_count(labels.at("negative"))});
        if (!labelled) continue;
        const json& accuracy = model.at("accuracy");
        if (accuracy.is_null()) {
            rows.back().emplace_back("–");
            continue;
        }
        const json& calibration = accuracy.at("calibration");
        rows.back().push_back(percent(accuracy.at("accuracy")));
        rows.back().push_back(percent(accuracy.at("accuracy_low")) + " to " +
                              percent(accuracy.at("accuracy_high")));
        rows.back().push_back(figure(accuracy.at("macro_f1"), 3));
        rows.back().push_back(calibration.is_null() ? "–"
                                                    : figure(calibration.at("expected_error"), 3));
    }
    return table_text(rows, width);
}

std::string pairs_text(std::size_t width, const json& compared) {
    Rows rows = {{"MODELS", "SAME LABEL", "KAPPA", "CORRELATION"}};
    for (const json& pair : compared.at("pairs")) {
        rows.push_back(
            {pair.at("first").get<std::string>() + ", " + pair.at("second").get<std::string>(),
             percent(pair.at("agreement")), figure(pair.at("kappa"), 3),
             figure(pair.at("correlation"), 3)});
    }
    return rows.size() == 1 ? "" : "\n" + table_text(rows, width);
}

std::string disagreements_text(std::size_t width, const json& compared) {
    if (compared.at("disagreements").empty()) return {};
    Rows rows = {{}};
    for (const json& name : compared.at("models")) rows.front().push_back(name);
    rows.front().emplace_back("TEXT");
    for (const json& text : compared.at("disagreements")) {
        auto& row = rows.emplace_back();
        for (const json& name : compared.at("models")) {
            const auto score = text.at("models").find(name.get<std::string>());
            row.push_back(score == text.at("models").end()
                              ? "–"
                              : fmt::format("{:+.3f}", score->at("compound").get<double>()));
        }
        row.push_back(text.at("text"));
    }
    const std::int64_t count = compared.at("disagreeing");
    return "\nThe models disagree on " + format_count(count) + (count == 1 ? " text" : " texts") +
           ". Largest differences:\n" + table_text(rows, width);
}

// Why a model or a label does not count.
std::string remarks_text(const json& compared) {
    std::string text;
    for (const json& name : compared.at("models")) {
        const json& model = compared.at("comparison").at(name.get<std::string>());
        if (!model.at("error").is_null()) {
            text += "\n" + name.get<std::string>() +
                    " did not score all texts: " + model.at("error").get<std::string>();
        }
        if (!compared.at("given").is_null() && model.at("accuracy").is_null() &&
            !model.at("has_neutral").get<bool>()) {
            text += "\n" + name.get<std::string>() +
                    " has no neutral label, but some texts are labelled neutral: set "
                    "--neutral-within 0.2.";
        }
    }
    if (const json& given = compared.at("given"); !given.is_null() && given.at("unknown") != 0) {
        std::string labels;
        for (const json& one : given.at("unknown_labels"))
            labels += (labels.empty() ? "" : ", ") + one.at("label").get<std::string>();
        const std::int64_t unknown = given.at("unknown");
        text += "\n" + format_count(unknown) +
                (unknown == 1 ? " text has an unknown label (" : " texts have unknown labels (") +
                labels + "): map with --label-name.";
    }
    return text.empty() ? "" : text + "\n";
}

// The member `compared` of a report's summary, with tables of this many columns (0: unlimited).
std::string compared_text(const json& compared, std::size_t width) {
    return models_text(width, compared) + pairs_text(width, compared) +
           disagreements_text(width, compared) + remarks_text(compared) + "\n" +
           compared.at("recommendation").at("text").get<std::string>();
}

// For `plimsoll doctor`: the models of this machine.
std::vector<terminal::Finding> examine(const KindSettings& settings) {
    using Grade = terminal::Finding::Grade;
    const models::Store store(models_folder(settings));
    const std::string folder = store.folder().string();
    std::vector<terminal::Finding> findings;
    std::string names;
    const auto sound = store.list();
    for (const auto& model : sound) names += (names.empty() ? "" : ", ") + model.name;
    findings.push_back({Grade::good, "Models",
                        names.empty() ? "VADER; no published model is in " + folder + "."
                                      : "VADER, and in " + folder + ": " + names + ".",
                        ""});
    const auto standard = default_model(settings);
    if (standard != kVader && standard != kPreferred &&
        std::ranges::find(sound, standard, &models::Manifest::name) == sound.end()) {
        findings.push_back({Grade::remark, "Models",
                            "The default model " + standard +
                                " is not installed here: vader scores the texts of jobs that name "
                                "no model, unless another machine has it.",
                            "Install it with plimsoll model pull " + standard +
                                ", or set sentiment.model (SENTIMENT_MODEL_NAME)."});
    }
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(store.folder(), none)) {
        const auto name = entry.path().filename().string();
        // Other names are those of models that are being installed.
        if (!entry.is_directory(none) || !models::is_model_name(name)) continue;
        if (std::ranges::find(sound, name, &models::Manifest::name) != sound.end()) continue;
        findings.push_back({Grade::remark, "Models", "The model " + name + " is damaged.",
                            "Remove " + entry.path().string() +
                                " and install it again: plimsoll "
                                "model pull " +
                                name + "."});
    }
    return findings;
}

void add(CLI::App& app, terminal::CommandContext& context) {
    add_policy_commands(app, context);
    add_score_command(app, context);
    add_compare_command(app, context);
}

}  // namespace

std::string summary_text(const nlohmann::json& summary, std::size_t width) {
    const auto& compared = summary.at("compared");
    return compared.is_null() ? scored_text(summary, width) : compared_text(compared, width);
}

constinit extern const Command kCommand{.kind = kName,
                                        .add_local = add_model_commands,
                                        .add = add,
                                        .summary_text = summary_text,
                                        .examine = examine};

}  // namespace plimsoll::jobs::sentiment
