#include "server/jobs/records/text_source.hpp"

#include "server/jobs/records/dataset.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

using nlohmann::json;

std::optional<text::RecordLayout> layout_of(std::string_view args) {
    const json parsed = json::parse(args, nullptr, false);
    const auto source = parsed.is_object() ? parsed.find("source") : parsed.end();
    if (source == parsed.end()) return std::nullopt;
    text::RecordLayout layout;
    layout.format = parse_format(source->value("format", ""));
    layout.columns.text = source->value("text", "");
    layout.columns.custom_id = source->value("custom_id", "");
    layout.text_position = source->value("text_position", std::size_t{0});
    const auto read = [&](const std::string& member, std::optional<std::size_t>& position) {
        if (const auto found = source->find(member + "_position"); found != source->end()) {
            position = found->get<std::size_t>();
        }
    };
    read("custom_id", layout.custom_id_position);
    for (const auto attribute : text::kColumnAttributes) {
        const std::string member(name_of(attribute));
        layout.columns.attributes[attribute] = source->value(member, "");
        read(member, layout.attribute_positions[attribute]);
    }
    layout.columns.keep = source->value("keep", std::vector<std::string>());
    layout.keep_positions = source->value("keep_positions", std::vector<std::size_t>());
    return layout;
}

}  // namespace

json source_json(const text::RecordLayout& layout) {
    json source{{"format", to_string(layout.format)}, {"text", layout.columns.text}};
    if (layout.format == text::RecordFormat::csv) source["text_position"] = layout.text_position;
    const auto add = [&](const std::string& member, const std::string& name,
                         const std::optional<std::size_t>& position) {
        if (!name.empty()) source[member] = name;
        if (position) source[member + "_position"] = *position;
    };
    add("custom_id", layout.columns.custom_id, layout.custom_id_position);
    for (const auto attribute : text::kColumnAttributes) {
        add(std::string(name_of(attribute)), layout.columns.attributes[attribute],
            layout.attribute_positions[attribute]);
    }
    if (!layout.columns.keep.empty()) source["keep"] = layout.columns.keep;
    if (!layout.keep_positions.empty()) source["keep_positions"] = layout.keep_positions;
    return source;
}

Result<TextSource> TextSource::open(const TextKind& kind, std::string_view args,
                                    std::string_view block) {
    auto reader = text::RecordBlockReader::open(block);
    if (!reader) return fail(reader.error());
    TextSource source(*reader);
    source.layout_ = layout_of(args);
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
    for (const auto attribute : text::kAttributes) {
        view.attributes[attribute] = parsed_.attributes[attribute];
    }
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
