#include "engine/cli/labelled_texts.hpp"

#include "engine/sentiment/agreement.hpp"
#include "engine/sentiment/meaning.hpp"
#include "engine/text/record_reader.hpp"

#include <fstream>
#include <functional>
#include <optional>

namespace plimsoll::cli {
namespace {

constexpr std::size_t kNeutral = 1;

Result<void> read_records(const std::filesystem::path& file, const text::RecordColumns& columns,
                          const std::function<void(text::ReadRecord)>& take) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(Errc::not_found, "The texts cannot be read.", file.string());
    text::RecordReader reader(
        file.extension() == ".csv" ? text::RecordFormat::csv : text::RecordFormat::json_lines,
        columns);
    std::string piece(std::size_t{1} << 16, '\0');
    Result<void> done;
    while (done && in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        done = reader.feed({piece.data(), static_cast<std::size_t>(in.gcount())}, take);
    }
    return done ? reader.finish(take) : done;
}

std::optional<std::size_t> class_of_label(const std::string& label,
                                          const std::map<std::string, std::string>& names) {
    const auto own = names.find(label);
    const auto worth = sentiment::worth_of_label(own == names.end() ? label : own->second);
    if (!worth) return std::nullopt;
    return *worth > 0 ? 0 : *worth < 0 ? 2 : kNeutral;
}

models::Accuracy accuracy_of(const std::string& form, const sentiment::Table& table) {
    const auto texts = sentiment::texts_in(table);
    const auto right = sentiment::diagonal_of(table);
    const auto interval = *sentiment::share_interval(right, texts);
    return {.form = form,
            .texts_of = {},
            .texts = static_cast<std::uint64_t>(texts),
            .right = static_cast<std::uint64_t>(right),
            .low = interval.low,
            .high = interval.high,
            .macro_f1 = sentiment::macro_f1(table),
            .device = {},
            .measured_at = {}};
}

}  // namespace

Result<std::map<std::string, std::string>> label_names(const std::vector<std::string>& flags) {
    std::map<std::string, std::string> names;
    for (const auto& flag : flags) {
        const auto equals = flag.rfind('=');
        const auto label = equals == std::string::npos ? "" : flag.substr(equals + 1);
        if (label != "positive" && label != "neutral" && label != "negative") {
            return fail(
                Errc::invalid_input,
                "--label-name must be LABEL=positive, LABEL=neutral or LABEL=negative, not \"" +
                    flag + "\".");
        }
        names[flag.substr(0, equals)] = label;
    }
    return names;
}

Result<LabelledTexts> read_texts(const std::filesystem::path& file) {
    LabelledTexts found;
    const auto take = [&](text::ReadRecord read) {
        if (!read.record.error) found.texts.push_back(std::move(read.record.text));
    };
    TRY_DO(read_records(file, {}, take));
    return found;
}

Result<LabelledTexts> read_labelled_texts(const std::filesystem::path& file,
                                          const std::map<std::string, std::string>& names) {
    text::RecordColumns columns;
    columns.attributes[text::Attribute::label] = "label";
    LabelledTexts found;
    std::optional<Error> wrong;
    const auto take = [&](text::ReadRecord read) {
        if (read.record.error || wrong) return;
        const auto& label = read.record.attributes[text::Attribute::label];
        const auto of_label = label ? class_of_label(*label, names) : std::nullopt;
        if (!of_label) {
            const auto what = label
                                  ? "an unknown label \"" + *label + "\": map it with --label-name"
                                  : std::string("no label");
            wrong =
                Error{Errc::invalid_input,
                      "Line " + std::to_string(read.line) + " has " + what + ".", file.string()};
            return;
        }
        found.texts.push_back(std::move(read.record.text));
        found.classes.push_back(*of_label);
    };
    TRY_DO(read_records(file, columns, take));
    if (wrong) return fail(std::move(*wrong));
    return found;
}

Result<std::vector<models::Accuracy>> judge(const LabelledTexts& given,
                                            std::span<const std::string> labels,
                                            std::span<const transformer::FormOutput> outputs) {
    TRY(const auto meaning, sentiment::Meaning::of(labels));
    std::vector<models::Accuracy> accuracies;
    for (const auto& [form, probabilities] : outputs) {
        sentiment::Table table{};
        for (std::size_t i = 0; i < given.classes.size(); ++i) {
            if (given.classes[i] == kNeutral && !meaning.has_neutral()) continue;
            const auto of_text = std::span(probabilities).subspan(i * labels.size(), labels.size());
            ++table[given.classes[i]][class_of(meaning.opinion(of_text))];
        }
        if (sentiment::texts_in(table) == 0)
            return fail(Errc::invalid_input, "No text has a label that the model predicts.");
        accuracies.push_back(accuracy_of(form, table));
    }
    return accuracies;
}

}  // namespace plimsoll::cli
