#include "server/jobs/records/text_rows.hpp"

#include "server/base/gzip.hpp"
#include "server/base/json_writer.hpp"
#include "server/jobs/records/dataset.hpp"
#include "server/jobs/records/json_text.hpp"
#include "server/jobs/records/text_source.hpp"

namespace plimsoll::jobs {

void append_identity(std::string& out, const text::RecordView& record) {
    out.append("{\"index\":");
    append_decimal(out, static_cast<std::int64_t>(record.index), 0);
    out.append(",\"line\":");
    if (record.line != 0)
        append_decimal(out, static_cast<std::int64_t>(record.line), 0);
    else
        out.append("null");
    out.append(",\"custom_id\":");
    if (record.custom_id)
        append_json_string(out, *record.custom_id);
    else
        out.append("null");
}

void append_failed_text(std::string& out, const TextKind& kind, const text::RecordView& record) {
    append_identity(out, record);
    constexpr std::size_t kIdentity = 3;
    for (const auto& column : kind.columns.subspan(kIdentity)) {
        out.append(",\"").append(column.name).append("\":");
        if (column.name == "error_code")
            append_json_string(out, record.error_code);
        else if (column.name == "error")
            append_json_string(out, record.error_message);
        else
            out.append("null");
    }
    out.append("}\n");
}

Result<std::string> failed_text_rows(const TextKind& kind, std::string_view args,
                                     std::string_view input, std::string_view reason) {
    TRY(const auto texts, from_text<TextArgs>(args));
    TRY(const auto block, gunzip(input, kLargestBlock));
    TRY(auto source, TextSource::open(kind, texts, block));
    std::string rows;
    while (true) {
        TRY(auto record, source.next());
        if (!record) return rows;
        text::RecordView& item = *record;
        if (!item.is_error) {
            item.error_code = "quarantined";
            item.error_message = reason;
        }
        append_failed_text(rows, kind, item);
    }
}

}  // namespace plimsoll::jobs
