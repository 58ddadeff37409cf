#include "server/jobs/sentiment/run/rows.hpp"

#include "server/jobs/json_text.hpp"
#include "server/jobs/sentiment/run/aggregate.hpp"
#include "server/jobs/sentiment/run/excerpt.hpp"

#include <cmath>

namespace plimsoll::jobs::sentiment {
namespace {

void append_identity(std::string& out, const text::RecordView& record) {
    out.append("{\"index\":");
    append_decimal(out, static_cast<std::int64_t>(record.index), 0);
    out.append(",\"custom_id\":");
    if (record.custom_id) {
        append_json_string(out, *record.custom_id);
    } else {
        out.append("null");
    }
}

void append_share(std::string& out, double share) {
    constexpr int kDecimals = 3;
    append_decimal(out, std::llround(share * 1000), kDecimals);
}

}  // namespace

void append_row(std::string& out, const text::RecordView& record,
                const ::plimsoll::sentiment::vader::Scores& scores, std::int64_t compound) {
    append_identity(out, record);
    out.append(",\"text\":");
    append_json_string(out, excerpt(record.text));
    out.append(",\"label\":\"");
    out.append(to_string(label_of(compound)));
    out.append("\",\"compound\":");
    append_decimal(out, compound, kCompoundDecimals);
    out.append(",\"positive\":");
    append_share(out, scores.pos);
    out.append(",\"neutral\":");
    append_share(out, scores.neu);
    out.append(",\"negative\":");
    append_share(out, scores.neg);
    out.append(",\"error_code\":null,\"error\":null}\n");
}

void append_failed_row(std::string& out, const text::RecordView& record) {
    append_identity(out, record);
    out.append(
        ",\"text\":null,\"label\":null,\"compound\":null,\"positive\":null,\"neutral\":null,"
        "\"negative\":null,\"error_code\":");
    append_json_string(out, record.error_code);
    out.append(",\"error\":");
    append_json_string(out, record.error_message);
    out.append("}\n");
}

}  // namespace plimsoll::jobs::sentiment
