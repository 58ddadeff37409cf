#include "server/kinds/sentiment/command/model_text.hpp"

#include "engine/base/format_number.hpp"

namespace plimsoll::jobs::sentiment {
namespace {

using models::Manifest;

// The guard's findings about the forms of a model; fp32 needs no proof.
std::string forms_of(const Manifest& model) {
    std::string text = "fp32";
    for (const auto& proof : model.proofs) {
        const double share =
            100 * static_cast<double>(proof.same_label) / static_cast<double>(proof.texts);
        text += "; " + proof.form + " by " + proof.method +
                (proof.passed ? "" : " FAILED (" + proof.why + ")") + ": " + format_figure(share) +
                " % of " + format_count(static_cast<std::int64_t>(proof.texts)) +
                " labels match fp32, probabilities differ by at most " +
                format_figure(proof.difference_most) + ", " + format_figure(proof.speedup) +
                " times as fast";
    }
    return text;
}

// What `verify` measured; nothing is claimed about a model that was not measured here.
std::string accuracy_of(const Manifest& model) {
    std::string text;
    for (const auto& one : model.accuracies) {
        const auto percent = [](double share) { return format_figure(100 * share); };
        text += (text.empty() ? "" : "; ") + one.form + " " +
                percent(static_cast<double>(one.right) / static_cast<double>(one.texts)) +
                " % of " + format_count(static_cast<std::int64_t>(one.texts)) + " texts of " +
                one.texts_of + " (95 % interval: " + percent(one.low) + " to " + percent(one.high) +
                " %)";
    }
    return text.empty() ? "not measured" : text;
}

}  // namespace

std::string details_of(const Manifest& model) {
    const auto line = [](const std::string& key, const std::string& value) {
        constexpr std::size_t kWidth = 14;
        return value.empty() ? "" : key + std::string(kWidth - key.size(), ' ') + value + "\n";
    };
    const auto& by = model.added_by;
    auto text =
        line("Model", model.name) + line("Hash", model.hash) +
        line("Family", model.family + ", " + std::to_string(model.layers) +
                           (model.layers == 1 ? " layer" : " layers") + " of width " +
                           std::to_string(model.hidden)) +
        line("Parameters", format_count(static_cast<std::int64_t>(model.parameters))) +
        line("Labels", model.labels.empty() ? "none: embeddings only" : joined(model.labels)) +
        line("Longest text", std::to_string(model.longest_text) + " tokens") +
        line("Source", model.source) + line("Licence", model.licence) +
        line("Added", model.added_at + (by.empty() ? "" : " by " + by)) +
        line("For", model.audience) + line("Forms", forms_of(model)) +
        line("Accuracy", accuracy_of(model));
    for (const auto& file : model.files) {
        text += line("File", file.name + "  " + size_text(file.bytes) + "  sha256 " + file.sha256);
    }
    text.pop_back();
    return text;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::uint64_t kKilobyte = 1'000;
    constexpr std::uint64_t kMegabyte = 1'000'000;
    const auto in = [&](std::uint64_t unit) {
        return format_figure(static_cast<double>(bytes) / static_cast<double>(unit));
    };
    if (bytes < kKilobyte) return std::to_string(bytes) + " bytes";
    return bytes < kMegabyte ? in(kKilobyte) + " kB" : in(kMegabyte) + " MB";
}

}  // namespace plimsoll::jobs::sentiment
