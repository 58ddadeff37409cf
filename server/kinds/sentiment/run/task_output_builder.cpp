#include "server/kinds/sentiment/run/task_output_builder.hpp"

#include "engine/text/utf8.hpp"
#include "server/base/gzip.hpp"
#include "server/base/json_writer.hpp"
#include "server/jobs/records/json_text.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <cstddef>

namespace plimsoll::jobs::sentiment {
namespace {

void append_member(std::string& out, std::string_view name, std::string_view text) {
    out.append(",\"").append(name).append("\":");
    append_json_string(out, text);
}

}  // namespace

std::string_view excerpt(std::string_view text) {
    constexpr std::size_t kCharacters = 280;
    if (text.size() <= kCharacters) return text;
    std::size_t end = 0;
    for (std::size_t n = 0; n < kCharacters && end < text.size(); ++n)
        end += text::decode_utf8(text, end).length;
    return text.substr(0, end);
}

void append_row(std::string& out, const text::RecordView& record, const TextScores& scores,
                const RowMore& more) {
    append_identity(out, record);
    out.append(",\"text\":");
    append_json_string(out, more.whole ? record.text : excerpt(record.text));
    out.append(",\"label\":\"");
    out.append(to_string(scores.label));
    out.append("\",\"compound\":");
    append_decimal(out, scores.compound, kCompoundDecimals);
    out.append(",\"positive\":");
    append_decimal(out, scores.positive, kCompoundDecimals);
    out.append(",\"neutral\":");
    append_decimal(out, scores.neutral, kCompoundDecimals);
    out.append(",\"negative\":");
    append_decimal(out, scores.negative, kCompoundDecimals);
    if (scores.tokens) {
        out.append(",\"tokens\":");
        out.append(std::to_string(*scores.tokens));
        out.append(scores.truncated ? ",\"truncated\":true" : ",\"truncated\":false");
    } else {
        out.append(",\"tokens\":null,\"truncated\":null");
    }
    if (more.choice != nullptr) {
        const auto& model = more.choice->model;
        append_member(out, "model", model.name);
        if (!model.form.empty()) append_member(out, "form", model.form);
        append_member(out, "model_asked", more.choice->asked);
        append_member(out, "model_reason", more.reason);
    }
    if (!more.model.empty()) append_member(out, "model", more.model);
    for (const auto attribute : text::kAttributes) {
        const auto& value = record.attributes[attribute];
        if (!value) continue;
        if (attribute == text::Attribute::kept)
            out.append(",\"kept\":").append(*value);
        else
            append_member(out, column_of(attribute), *value);
    }
    if (!more.models.empty()) out.append(",\"models\":").append(more.models);
    if (more.windows && scores.tokens)
        out.append(",\"windows\":").append(std::to_string(scores.windows));
    out.append(",\"error_code\":null,\"error\":null}\n");
}

void TaskOutputBuilder::add(const text::RecordView& item, const TextScores& scores, RowMore more) {
    more.windows = windows_;
    if (more.choice == nullptr && more.model.empty()) more.model = model_;
    append_row(rows_, item, scores, more);
    aggregate_.add(item, scores);
    if (more.choice != nullptr) aggregate_.add(*more.choice);
    ++output_.items_ok;
}

void TaskOutputBuilder::add_failed(const text::RecordView& item) {
    append_failed_text(rows_, kTexts, item);
    aggregate_.add_failed(item);
    ++output_.items_failed;
    ++failed_[std::string(item.error_code)];
}

TakeScores TaskOutputBuilder::taker() {
    return [this](const text::RecordView& item, const TextScores* scores) {
        if (scores == nullptr)
            add_failed(item);
        else
            add(item, *scores);
    };
}

TaskOutput TaskOutputBuilder::finish(const RunContext& context) {
    aggregate_.add(device_of(context), output_.items_ok);
    if (!failed_.empty()) {
        context.say(LogLevel::warning,
                    failed_summary(failed_, output_.items_ok + output_.items_failed, "texts"));
    }
    output_.results = gzip(rows_);
    output_.partial = to_text(aggregate_);
    return std::move(output_);
}

}  // namespace plimsoll::jobs::sentiment
