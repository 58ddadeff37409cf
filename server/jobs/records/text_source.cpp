#include "server/jobs/records/text_source.hpp"

namespace plimsoll::jobs {

Result<TextSource> TextSource::open(const TextKind& kind, const TextArgs& args,
                                    std::string_view block) {
    TRY(auto reader, text::RecordBlockReader::open(block));
    TextSource source(reader);
    if (args.source) source.layout_ = &*args.source;
    source.longest_text_ = kind.longest_text;
    return source;
}

Result<std::optional<text::RecordView>> TextSource::next() {
    auto record = reader_.next();
    if (!record || !*record || !layout_ || (*record)->is_error) return record;
    text::RecordView& view = **record;
    parsed_ = text::parse_record(view.text, *layout_);
    refuse_long_text(parsed_, longest_text_);
    view.custom_id = parsed_.custom_id;
    for (const auto attribute : text::kAttributes)
        view.attributes[attribute] = parsed_.attributes[attribute];
    view.text = parsed_.text;
    view.is_error = parsed_.error.has_value();
    if (parsed_.error) {
        view.error_code = parsed_.error->code;
        view.error_message = parsed_.error->message;
    }
    return record;
}

void refuse_long_text(text::Record& record, std::size_t longest) {
    if (record.error || record.text.size() <= longest) return;
    record.error = text::RecordError{
        "too_large", "The text has " + std::to_string(record.text.size()) + " bytes; at most " +
                         std::to_string(longest) + " are allowed."};
}

}  // namespace plimsoll::jobs
