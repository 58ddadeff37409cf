#include "server/kinds/training_config/contract/configs/config_edit.hpp"

#include "server/kinds/training_config/contract/configs/config_node.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace plimsoll::jobs::training_config {

namespace {

constexpr std::size_t kContext = 3;

using Lines = std::vector<std::string_view>;

// With their ends, so that a last line without one differs.
Lines lines_of(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

std::string marked(char mark, std::string_view text) {
    std::string out;
    for (const auto line : lines_of(text)) {
        out.append(1, mark).append(line);
        if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
    }
    return out;
}

// One changed line, below the lines that are added before it.
std::string change_of(std::string_view before, std::string_view after) {
    if (!after.ends_with(before)) return marked('-', before) + marked('+', after);
    after.remove_suffix(before.size());
    return marked('+', after) + marked(' ', before);
}

}  // namespace

std::string unified_diff(std::string_view name, std::string_view before,
                         const ChangedLines& changed) {
    if (changed.empty()) return {};
    const auto lines = lines_of(before);
    auto out = fmt::format("--- {0}\n+++ {0}\n", name);
    std::size_t added = 0;  // by the hunks before
    for (auto at = changed.begin(); at != changed.end();) {
        const auto begin = at->first - std::min(kContext, at->first);
        std::string hunk;
        std::size_t number = begin, end = begin, adds = 0;
        // Changes whose contexts meet are one hunk.
        for (; at != changed.end() && (hunk.empty() || at->first <= end + kContext); ++at) {
            for (; number < at->first; ++number) hunk += marked(' ', lines[number]);
            hunk += change_of(lines[number], at->second);
            adds += lines_of(at->second).size() - 1;
            end = std::min(lines.size(), ++number + kContext);
        }
        for (; number < end; ++number) hunk += marked(' ', lines[number]);
        out += fmt::format("@@ -{},{} +{},{} @@\n{}", begin + 1, end - begin, begin + added + 1,
                           end - begin + adds, hunk);
        added += adds;
    }
    return out;
}

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // yaml-cpp counts from behind it

using Repeated = std::map<int, std::vector<int>>;

struct Piece {
    std::size_t begin = 0;
    std::size_t size = 0;  // 0: an insertion
    std::string text;
    ConfigChange change;
};

// Behind an anchor and a tag: "&name", "!!float".
std::size_t past_properties(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
        at = text.find_first_of(" \t\r\n", at);
        if (at != std::string_view::npos) at = text.find_first_not_of(" \t\r\n", at);
    }
    return at;
}

// The characters of a scalar that begins at `at`, including its quotes, or nothing if they are not
// simply its value.
std::string_view written(std::string_view text, std::size_t at, const std::string& value) {
    at = past_properties(text, at);
    if (at >= text.size()) return {};
    const bool quoted = text[at] == '"' || text[at] == '\'';
    const auto inner = text.substr(std::min(text.size(), at + (quoted ? 1 : 0)), value.size());
    if (inner != value) return {};
    const auto end = at + value.size() + (quoted ? 2 : 0);
    if (quoted && (end > text.size() || text[end - 1] != text[at])) return {};
    return text.substr(at, end - at);
}

// The characters of an explicit null: empty quotes, "null", "~".
std::string_view written_nothing(std::string_view text, std::size_t at) {
    at = past_properties(text, at);
    for (const std::string_view word : {"\"\"", "''", "null", "Null", "NULL", "~"}) {
        if (at >= text.size() || text.substr(at, word.size()) != word) continue;
        const auto after = at + word.size();
        const bool ends =
            after == text.size() || std::string_view(" \t\r\n,}]#").find(text[after]) != text.npos;
        if (ends) return text.substr(at, word.size());
    }
    return {};
}

std::optional<double> number_of(const std::string& text) {
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool same(const std::string& a, const std::string& b) {
    const auto x = number_of(a), y = number_of(b);
    if (x && y) return *x == *y;
    return in_lower_case(a) == in_lower_case(b);
}

// YAML would not read it as text.
bool is_no_text(const std::string& value) {
    constexpr std::string_view kWords[] = {"y",   "n",    "yes",   "no",   "on",
                                           "off", "true", "false", "null", "~"};
    return number_of(value) || std::ranges::find(kWords, in_lower_case(value)) != std::end(kWords);
}

class Editor {
  public:
    // `repeated`: the lines of aliases, by where the node that they repeat begins.
    Editor(std::string_view text, const YAML::Node& root, Repeated repeated)
        : text_(text),
          root_(root),
          repeated_(std::move(repeated)),
          json_(text[text.find_first_not_of(" \t\r\n")] == '{') {}

    void write(const Setting& setting) {
        YAML::Node around = root_;
        for (std::size_t i = 0; i + 1 < setting.path.size(); ++i) {
            if (!around.IsMap()) return leave(setting, 0, "there is no " + place_of(setting.path));
            const YAML::Node& known = around;  // operator[] of a const node adds nothing
            const YAML::Node next = known[setting.path[i]];
            if (!next.IsDefined()) return leave(setting, 0, "it is not in the file");
            if (repeated_.contains(next.Mark().pos)) {
                return leave(setting, next.Mark().line + 1,
                             "an alias repeats the block that contains it");
            }
            around.reset(next);
        }
        if (!around.IsMap()) return leave(setting, 0, "it is not in the file");
        for (const auto& member : around) {
            if (!member.first.IsScalar() || member.first.Scalar() != setting.path.back()) continue;
            neighbour_ = {around_of(setting), member.first.Mark()};
            return replace(setting, member.first, member.second);
        }
        if (!setting.adds) return leave(setting, 0, "it is not in the file");
        add(setting, around);
    }

    ConfigEdit take(std::string_view mark) {
        ConfigEdit edit;
        edit.text = mark;
        std::size_t copied = 0;
        for (auto piece = pieces_.begin(); piece != pieces_.end();) {
            const auto line_begin = text_.rfind('\n', piece->begin) + 1;  // of the old line
            const auto line_end = std::min(text_.find('\n', piece->begin), text_.size() - 1) + 1;
            edit.text.append(text_, copied, line_begin - copied);
            std::string line(line_begin == 0 ? mark : "");
            copied = line_begin;
            for (; piece != pieces_.end() && piece->begin < line_end; ++piece) {
                line.append(text_, copied, piece->begin - copied).append(piece->text);
                copied = piece->begin + piece->size;
                edit.changes.push_back(std::move(piece->change));
            }
            line.append(text_, copied, line_end - copied);
            copied = line_end;
            edit.text.append(line, line_begin == 0 ? mark.size() : 0);
            const auto number = std::ranges::count(text_.substr(0, line_begin), '\n');
            edit.lines.emplace(static_cast<std::size_t>(number), std::move(line));
        }
        edit.text.append(text_, copied);
        edit.left = std::move(left_);
        return edit;
    }

  private:
    void leave(const Setting& setting, int line, std::string why) {
        left_.push_back({line, place_of(setting.path), setting.value, std::move(why)});
    }

    // In the order of the text, what is added at one place in the order of the settings.
    void insert(Piece piece) {
        const auto after = std::ranges::upper_bound(pieces_, piece.begin, {}, &Piece::begin);
        pieces_.insert(after, std::move(piece));
    }

    // As the text's language writes it; `like` is the previous text.
    std::string spelled(const Setting& setting, std::string_view like) const {
        const bool quoted = !like.empty() && (like[0] == '"' || like[0] == '\'');
        const bool needs = setting.is_text && is_no_text(setting.value);
        const std::string quote = quoted                     ? std::string(1, like[0])
                                  : json_ && setting.is_text ? "\""
                                  : needs                    ? "'"
                                                             : "";
        return quote + setting.value + quote;
    }

    void replace(const Setting& setting, const YAML::Node& key, const YAML::Node& value) {
        const int line = key.Mark().line + 1;
        if (value.IsNull() || (value.IsScalar() && value.Scalar().empty()))
            return fill(setting, key, value);
        if (!value.IsScalar()) return leave(setting, line, "it is not a single value");
        const auto& before = value.Scalar();
        if (same(before, setting.value)) return;
        if (before == "auto") {
            leave(setting, line, "it follows the Trainer (\"auto\")");
            left_.back().follows = true;
            return;
        }
        if (value.Mark().pos < key.Mark().pos)
            return leave(setting, line, "it is reached through an alias");
        if (before.find("${") != std::string::npos)
            return leave(setting, line, "it is an interpolation");
        const auto piece = written(text_, static_cast<std::size_t>(value.Mark().pos), before);
        if (piece.empty())
            return leave(setting, line, "it is not written as a plain value on one line");
        insert({static_cast<std::size_t>(piece.data() - text_.data()),
                piece.size(),
                spelled(setting, piece),
                {line, place_of(setting.path), before, setting.value, followers_of(value)}});
    }

    std::vector<int> followers_of(const YAML::Node& value) const {
        const auto found = repeated_.find(value.Mark().pos);
        return found == repeated_.end() ? std::vector<int>() : found->second;
    }

    // In place of an explicit null.
    void fill(const Setting& setting, const YAML::Node& key, const YAML::Node& value) {
        const int line = key.Mark().line + 1;
        const bool same_line = value.Mark().line == key.Mark().line;
        const auto piece = same_line
                               ? written_nothing(text_, static_cast<std::size_t>(value.Mark().pos))
                               : std::string_view();
        if (piece.empty()) return leave(setting, line, "it is not a single value");
        insert({static_cast<std::size_t>(piece.data() - text_.data()),
                piece.size(),
                spelled(setting, {}),
                {line, place_of(setting.path), std::string(piece), setting.value,
                 followers_of(value)}});
    }

    static std::vector<std::string> around_of(const Setting& setting) {
        return {setting.path.begin(), setting.path.end() - 1};
    }

    // Before the member that was found last there, or the first one; on a line of its own if the
    // members have lines of their own.
    void add(const Setting& setting, const YAML::Node& around) {
        if (around.size() == 0) return leave(setting, 0, "the mapping around it is empty");
        const auto first = neighbour_.first == around_of(setting) ? neighbour_.second
                                                                  : around.begin()->first.Mark();
        const auto at = static_cast<std::size_t>(first.pos);
        const std::string key = json_ ? "\"" + setting.path.back() + "\"" : setting.path.back();
        const bool flow = around.Style() == YAML::EmitterStyle::Flow;
        const auto line_begin = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
        const auto indent = text_.substr(line_begin, at - line_begin);
        const bool own_line = indent.find_first_not_of(" \t") == std::string_view::npos;
        std::string written = key + ": " + spelled(setting, {}) + (flow ? "," : "");
        written += own_line ? "\n" + std::string(indent) : " ";
        insert({at,
                0,
                std::move(written),
                {first.line + 1, place_of(setting.path), "", setting.value, {}}});
    }

    std::string_view text_;
    YAML::Node root_;
    Repeated repeated_;
    bool json_;
    // The member that was found last, and the mapping around it.
    std::pair<std::vector<std::string>, YAML::Mark> neighbour_ = {{""}, {}};
    std::vector<Piece> pieces_;
    std::vector<ConfigLeft> left_;
};

class RepeatedNodes final : public YAML::EventHandler {
  public:
    Repeated take() { return std::move(repeated_); }

    void OnDocumentStart(const YAML::Mark&) override { anchored_.clear(); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { note(mark, anchor); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        repeated_[anchored_[anchor]].push_back(mark.line + 1);
    }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  const std::string&) override {
        note(mark, anchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        note(mark, anchor);
    }
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        note(mark, anchor);
    }
    void OnMapEnd() override {}

  private:
    void note(const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (anchor != 0) anchored_[anchor] = mark.pos;
    }

    std::map<YAML::anchor_t, int> anchored_;
    Repeated repeated_;
};

}  // namespace

Result<ConfigEdit> edit_config(std::string_view whole, const std::vector<Setting>& settings) {
    const auto mark = whole.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    const auto text = whole.substr(mark);
    try {
        // Reads no further than a second document: yaml-cpp 0.7 finds endless documents in some
        // damaged texts.
        const auto bare = without_comments(text);
        std::istringstream stream{bare};
        YAML::Parser parser(stream);
        RepeatedNodes nodes;
        if (parser.HandleNextDocument(nodes)) {
            RepeatedNodes others;
            if (parser.HandleNextDocument(others)) {
                return fail(Errc::invalid_input,
                            "The file has several documents; one is expected.");
            }
        }
        const auto document = YAML::Load(bare);
        if (!document.IsMap())
            return fail(Errc::invalid_input, "The file must be a mapping of settings.");
        Editor editor(text, document, nodes.take());
        for (const auto& setting : settings) editor.write(setting);
        auto edit = editor.take(whole.substr(0, mark));
        YAML::Load(without_comments(
            std::string_view(edit.text).substr(mark)));  // yaml-cpp also reads some damaged texts
        return edit;
    } catch (const YAML::Exception& error) {
        return fail(unreadable(whole, error));
    }
}

}  // namespace plimsoll::jobs::training_config
