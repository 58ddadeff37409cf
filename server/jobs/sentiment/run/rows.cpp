#include "server/jobs/sentiment/run/rows.hpp"

#include "server/jobs/records/json_text.hpp"
#include "server/jobs/records/text_rows.hpp"
#include "server/jobs/sentiment/run/aggregate.hpp"
#include "server/jobs/sentiment/run/excerpt.hpp"

#include <cmath>

namespace plimsoll::jobs::sentiment {
namespace {

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

}  // namespace plimsoll::jobs::sentiment
