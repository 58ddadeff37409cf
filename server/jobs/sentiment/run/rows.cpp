#include "server/jobs/sentiment/run/rows.hpp"

#include "server/jobs/records/json_text.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/jobs/sentiment/run/excerpt.hpp"

namespace plimsoll::jobs::sentiment {

void append_row(std::string& out, const text::RecordView& record, const TextScores& scores) {
    append_identity(out, record);
    out.append(",\"text\":");
    append_json_string(out, excerpt(record.text));
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
    out.append(",\"error_code\":null,\"error\":null}\n");
}

}  // namespace plimsoll::jobs::sentiment
