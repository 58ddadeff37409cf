#include "server/http/endpoints/results/row_search.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::http::endpoints {
namespace {

constexpr std::string_view kFailed = "failed";

std::string lower(std::string_view text) {
    std::string out(text);
    // Bytes of other characters are above ASCII in UTF-8.
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return out;
}

// JSON writes quotes, backslashes and control characters in more than one way.
std::string longest_plain(std::string_view text) {
    const auto escaped = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
    };
    std::string_view best;
    while (!text.empty()) {
        const auto end =
            static_cast<std::size_t>(std::ranges::find_if(text, escaped) - text.begin());
        if (end > best.size()) best = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::string(best);
}

// string_view::find compares from every place with the first character; in texts, that is slow.
std::size_t place_of(std::string_view text, std::string_view in, std::size_t from) {
    const void* at = ::memmem(in.data() + from, in.size() - from, text.data(), text.size());
    if (!at) return std::string_view::npos;
    return static_cast<std::size_t>(static_cast<const char*>(at) - in.data());
}

}  // namespace

RowSearch::RowSearch(const RowFilter& filter, std::span<const jobs::Column> columns)
    : text_(lower(filter.contains)),
      label_(filter.label),
      plain_(longest_plain(text_)),
      columns_(columns) {
    if (!plain_.empty() || label_.empty()) return;
    // Rows are stored without spaces between their tokens; a text's own quotes are escaped.
    plain_ = label_ == kFailed ? R"("error":")" : '"' + label_ + '"';
}

Result<std::string> RowSearch::matching(std::string_view rows) const {
    const auto searched = lower(rows);
    std::string out;
    for (std::size_t at = 0; at < rows.size();) {
        // Most rows lack the text or the label and are not parsed.
        const auto hit = place_of(plain_, searched, at);
        if (hit == std::string_view::npos) break;
        const auto before = hit == 0 ? std::string_view::npos : rows.rfind('\n', hit - 1);
        const auto begin = before == std::string_view::npos ? 0 : before + 1;
        const auto end = std::min(rows.find('\n', hit), rows.size() - 1) + 1;
        const auto line = rows.substr(begin, end - begin);
        const auto row = nlohmann::json::parse(line, nullptr, false);
        if (!row.is_object()) return fail(Errc::corrupt, "A stored result row is corrupt.");
        if (matches(row)) out.append(line);
        at = end;
    }
    return out;
}

bool RowSearch::matches(const nlohmann::json& row) const {
    return (text_.empty() || contains_text(row)) && (label_.empty() || has_label(row));
}

bool RowSearch::has_label(const nlohmann::json& row) const {
    const auto member = row.find(label_ == kFailed ? "error" : "label");
    if (member == row.end() || !member->is_string()) return false;
    return label_ == kFailed || member->get_ref<const std::string&>() == label_;
}

bool RowSearch::contains_text(const nlohmann::json& row) const {
    return std::ranges::any_of(columns_, [&](const jobs::Column& column) {
        if (!column.searched) return false;
        const auto member = row.find(column.name);
        if (member == row.end() || !member->is_string()) return false;
        return lower(member->get_ref<const std::string&>()).find(text_) != std::string::npos;
    });
}

}  // namespace plimsoll::http::endpoints
