#include "server/jobs/records/text_plan.hpp"

#include "engine/base/json.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/records/text_source.hpp"

#include <algorithm>
#include <set>

namespace plimsoll::jobs {
namespace {

text::Record record_of(const json& item) {
    text::Record record;
    if (item.is_string()) {
        record.text = item.get<std::string>();
        return record;
    }
    const auto read = [&](std::string_view name, std::optional<std::string>& into) {
        if (const auto member = item.find(name); member != item.end())
            into = member->get<std::string>();
    };
    read("custom_id", record.custom_id);
    for (const auto attribute : text::kColumnAttributes)
        read(name_of(attribute), record.attributes[attribute]);
    if (const auto kept = item.find("kept"); kept != item.end()) {
        auto bytes = kept->dump();
        if (bytes.size() <= text::ReaderLimits{}.kept_bytes) {
            record.attributes[text::Attribute::kept] = std::move(bytes);
        } else {
            record.error = text::RecordError{
                "invalid_record", "The kept values have more than " +
                                      std::to_string(text::ReaderLimits{}.kept_bytes) + " bytes."};
        }
    }
    if (const auto& content = item.at("text"); content.is_string())
        record.text = content.get<std::string>();
    else
        record.error = text::RecordError{std::string(text::kEmptyText), "The text is null."};
    return record;
}

// The maximum estimated time of a task, unless it is a single text.
constexpr double kTaskSeconds = 0.2;

// Cuts records into tasks as they arrive.
class Cutter {
  public:
    explicit Cutter(const TextKind& kind) : kind_(kind), block_(0) {}

    void add(text::Record record) {
        refuse_long_text(record, kind_.longest_text);
        // Closed before the record that would not fit.
        if (block_.count() != 0 && block_.bytes() + record.text.size() > kChunkBytes) close();
        if (!record.error) text_bytes_ += record.text.size();
        block_.add(record);
        if (block_.count() == kChunkRecords || seconds() >= kTaskSeconds) close();
    }
    std::vector<TaskSpec> finish() {
        close();
        return std::move(tasks_);
    }

  private:
    double seconds() const {
        return block_.count() * kind_.seconds_per_item +
               static_cast<double>(text_bytes_) * kind_.seconds_per_byte;
    }
    void close() {
        const std::uint32_t items = block_.count();
        if (items == 0) return;
        TaskSpec task;
        task.items = items;
        task.estimated_seconds = seconds();
        task.input = gzip(block_.take());
        tasks_.push_back(std::move(task));
        text_bytes_ = 0;
    }

    const TextKind& kind_;
    std::vector<TaskSpec> tasks_;
    text::RecordBlockWriter block_;
    std::size_t text_bytes_ = 0;
};

}  // namespace

tl::expected<std::vector<TaskSpec>, FieldErrors> cut_texts(const TextKind& kind, const json& args) {
    if (args.contains("texts") == args.contains("items")) {
        return refused("", "one_of",
                       "Exactly one of \"texts\", \"items\" and \"dataset\" must be given.");
    }
    const json columns = args.value("columns", json::object());
    const bool only_keep = columns.size() == (columns.contains("keep") ? 1 : 0);
    if (!only_keep || (args.contains("texts") && args.contains("columns"))) {
        return refused("/columns", "not_used",
                       "\"columns\" is for datasets; with \"items\", only its member \"keep\" has "
                       "an effect: it sets the order of the kept columns.");
    }
    Cutter cutter(kind);
    for (const json& item : args.contains("texts") ? args["texts"] : args["items"])
        cutter.add(record_of(item));
    auto tasks = cutter.finish();
    if (tasks.empty()) {
        return refused(args.contains("texts") ? "/texts" : "/items", "min_items",
                       "At least one text must be given.");
    }
    return tasks;
}

std::vector<std::string> kept_names(const json& args) {
    std::vector<std::string> names =
        args.value("columns", json::object()).value("keep", std::vector<std::string>());
    std::set<std::string> known(names.begin(), names.end());
    for (const json& item : args.value("items", json::array())) {
        const auto kept = item.find("kept");
        if (kept == item.end()) continue;
        for (const auto& member : kept->items())
            if (known.insert(member.key()).second) names.push_back(member.key());
        if (names.size() > kMaxKept) break;
    }
    return names;
}

std::vector<std::string> given_members(const json& args) {
    std::vector<std::string> given;
    const auto items = args.find("items");
    if (items == args.end()) return given;
    const auto add = [&](std::string_view member) {
        if (std::ranges::any_of(*items, [&](const json& item) { return item.contains(member); }))
            given.emplace_back(member);
    };
    add("custom_id");
    for (const auto attribute : text::kColumnAttributes) add(name_of(attribute));
    return given;
}

std::vector<std::string> kept_columns(std::string_view args) {
    const auto texts = from_text<TextArgs>(args);
    return texts ? texts->kept() : std::vector<std::string>();
}

tl::expected<text::RecordColumns, FieldErrors> columns_of(
    const json& args, const DatasetShape& dataset, std::span<const text::Attribute> attributes) {
    if (args.contains("texts") || args.contains("items")) {
        return refused("", "one_of",
                       "Exactly one of \"texts\", \"items\" and \"dataset\" must be given.");
    }
    const auto chosen = args.find("columns");
    auto columns =
        chosen == args.end() ? text::RecordColumns() : chosen->get<text::RecordColumns>();
    for (const auto attribute : attributes) {
        auto& column = columns.attributes[attribute];
        const auto same = std::ranges::find(dataset.columns, name_of(attribute));
        if (column.empty() && same != dataset.columns.end()) column = *same;
    }
    return columns;
}

tl::expected<text::RecordLayout, FieldErrors> find_source(const DatasetShape& dataset,
                                                          text::RecordColumns columns) {
    auto layout = text::find_columns(dataset.format, dataset.columns, std::move(columns));
    if (layout) return std::move(*layout);
    return refused("/columns/" + layout.error().where, "unknown_column", layout.error().message);
}

}  // namespace plimsoll::jobs
