#include "server/kinds/profile/command/report_file.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "server/base/text_table.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

namespace plimsoll::jobs::profile {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr int kMaxInASecond = 1000;

std::string name_at(std::time_t now) {
    std::tm local{};
    localtime_r(&now, &local);
    char name[64];
    std::strftime(name, sizeof name, "gpu_profile_%Y%m%d_%H%M%S", &local);
    return name;
}

template <class... Values>
std::string line(const char* format, Values... values) {
    char text[400];
    std::snprintf(text, sizeof text, format, values...);
    return std::string(text) + "\n";
}

std::string curve_text(const json& curve) {
    const auto name = curve.value("name", "");
    if (curve.at("recommended_batch").is_null())
        return "  " + name + ": " + curve.value("reason", "") + "\n";
    return "  " + name + ": batch " + format_count(curve["recommended_batch"].get<std::int64_t>()) +
           ", " + format_figure(curve.value("recommended_items_per_second", 0.0)) + " " +
           curve.value("items", "items") + "/s\n" + "    " + curve.value("reason", "") +
           line(" %d of %d batch sizes measured.", curve.value("measured", 0),
                curve.value("full_sweep", 0));
}

std::string best_speedup(const json& model) {
    const json* best = nullptr;
    for (const auto& point : model.at("batch_results"))
        if (best == nullptr || point.value("speedup_vs_1", 0.0) > best->value("speedup_vs_1", 0.0))
            best = &point;
    if (best == nullptr) return "";
    return line("  Best speedup: %.2fx at batch_size=%lld", best->value("speedup_vs_1", 0.0),
                best->value("batch_size", 0LL));
}

// As the guide prints it, then a line for each length of prompt.
std::string llm_text(const json& model) {
    std::string text = "LLM Model: " + model.value("model_name", "") + "\n";
    text += line("  Average inference: %.2f ms", model.value("inference_time_ms", 0.0));
    const auto& prompts = model.at("llm").at("prompts");
    text += line("  Throughput: %.2f tokens/sec", prompts.front().value("tokens_per_second", 0.0));
    const double held = model.value("vram_used_mb", 0.0);
    text += held > 0 ? line("  VRAM used: %.2f MB", held) : "  VRAM used: unknown\n";
    for (const auto& prompt : prompts) {
        text += line(
            "  prompt of about %d tokens: first token after %.1f ms, %.0f tokens in %.1f "
            "ms, %.1f tokens/s",
            prompt.value("about_tokens", 0), prompt.value("first_token_ms", 0.0),
            prompt.value("answer_tokens", 0.0), prompt.value("median_ms", 0.0),
            prompt.value("tokens_per_second", 0.0));
    }
    return text;
}

std::string model_text(const json& model) {
    if (model.contains("llm")) return llm_text(model);
    std::string text = "Sentiment Model: " + model.value("model_name", "");
    const bool has_form = model.contains("form") && model["form"].is_string();
    if (has_form) text += " in " + model["form"].get<std::string>();
    text += "\n";
    text += line("  Load time: %.2f ms", model.value("load_time_ms", 0.0));
    text += line("  Single item inference: %.2f ms", model.value("inference_time_ms", 0.0));
    text += line("  Throughput: %.2f items/sec", model.value("items_per_second", 0.0));
    text += line("  VRAM used: %.2f MB", model.value("vram_used_mb", 0.0));
    text += best_speedup(model);
    for (const auto& curve : model.at("lengths")) text += curve_text(curve);
    if (const auto& batch = model.at("recommended_batch"); has_form && batch.is_number()) {
        text += "  Use it for short texts: --set batch_size=" +
                std::to_string(batch.get<std::int64_t>()) + "\n";
    }
    return text;
}

std::string pair_text(const json& pair) {
    const bool recommended = pair.at("recommended");
    return pair.value("sentiment_model", "") + " beside " + pair.value("llm_model", "") +
           line(": both at once are %.2fx as fast as one after the other%s",
                pair.value("speedup", 0.0), recommended ? "" : ", not worth it") +
           line("  %lld texts alone %.2f s, a response alone %.2f s, both %.2f s",
                pair.value("texts", 0LL), pair.value("scoring_seconds", 0.0),
                pair.value("asking_seconds", 0.0), pair.value("together_seconds", 0.0));
}

void add_rates(const char* part, const json& rates, std::vector<std::vector<std::string>>& rows) {
    for (const auto& rate : rates) {
        auto name = rate.value("name", "");
        if (const auto method = rate.value("method", ""); !method.empty()) name += ", " + method;
        std::string share;
        if (rate.contains("fraction_of_peak") && rate["fraction_of_peak"].is_number()) {
            const double fraction = rate["fraction_of_peak"];
            share = std::to_string(static_cast<int>(std::lround(fraction * 100))) + " %";
        }
        rows.push_back({part, std::move(name),
                        format_figure(rate.value("value", 0.0)) + " " + rate.value("unit", ""),
                        std::move(share)});
    }
}

std::string engine_text(const json& summary, std::size_t width) {
    const json& engine = summary.at("engine");
    const json& device = summary.at("device");
    std::string text = "Device: " + device.value("name", "");
    if (device.at("processor_class").is_string())
        text += " (" + device["processor_class"].get<std::string>() + ")";
    text += "\n";
    std::vector<std::vector<std::string>> rates = {{"PART", "WHAT", "RATE", "OF THE PEAK"}};
    for (const auto& [title, member] : {std::pair{"peak", "peak"},
                                        {"product", "products"},
                                        {"rows", "rows"},
                                        {"attention", "attention"}}) {
        add_rates(title, engine.at(member), rates);
    }
    text += table_text(rates, width);
    if (const auto& launch = engine.at("launches"); launch.is_object()) {
        text += line(
            "  launch    %.1f us synchronous, %.2f us queued; kernel build %.0f ms cold, %.1f ms "
            "cached",
            launch.value("waited_us", 0.0), launch.value("queued_us", 0.0),
            launch.value("cold_build_ms", 0.0), launch.value("warm_build_ms", 0.0));
    }
    if (const auto& overlap = engine.at("overlap"); overlap.is_object()) {
        const bool recommended = overlap.value("recommended", false);  // before notes were made
        text += line("  overlap   %.2fx with a second queue: %s", overlap.value("speedup", 0.0),
                     overlap.value("note", recommended ? "worth it" : "not useful").c_str());
    }
    if (engine.at("batches").is_object()) text += curve_text(engine["batches"]);
    return text;
}

}  // namespace

Result<void> check_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error && access(folder.c_str(), W_OK) != 0) error = {errno, std::generic_category()};
    if (!error) return {};
    return fail(Errc::invalid_input,
                "The report cannot be written to this folder: " + error.message() + ".",
                folder.string());
}

Result<std::filesystem::path> write_report(const std::filesystem::path& folder,
                                           const nlohmann::json& summary, std::time_t now) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const auto name = name_at(now);
    auto path = folder / (name + ".json");
    File file(nullptr, std::fclose);
    for (int next = 2; next <= kMaxInASecond; ++next) {
        file.reset(std::fopen(path.c_str(), "wx"));
        if (file || errno != EEXIST) break;
        path = folder / (name + "_" + std::to_string(next) + ".json");
    }
    const auto text = summary.dump(2) + "\n";
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fclose(file.release()) != 0) {
        return fail(Errc::invalid_input,
                    "The report cannot be written: " + std::generic_category().message(errno) + ".",
                    path.string());
    }
    return path;
}

std::string summary_text(const json& summary, std::size_t width) {
    std::string text;
    if (summary.at("engine").is_object()) text += engine_text(summary, width);
    for (const auto& model : summary.at("results")) {
        if (!text.empty()) text += "\n";
        text += model_text(model);
    }
    if (const auto pair = summary.find("pair"); pair != summary.end() && pair->is_object())
        text += pair_text(*pair);
    for (const auto& error : summary.at("errors"))
        text += "Failed: " + error.value("part", "") + ": " + error.value("error", "") + "\n";
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace plimsoll::jobs::profile
