#include "server/kinds/waves/command/symbol_list.hpp"

#include "engine/text/record_reader.hpp"
#include "server/client/upload.hpp"
#include "server/terminal/files/input_file.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

namespace plimsoll::jobs::waves {
namespace {

void add_words(const std::string& text, std::set<std::string>& symbols) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        line.resize(std::min(line.size(), line.find('#')));
        std::ranges::replace(line, ',', ' ');
        std::istringstream words(line);
        for (std::string word; words >> word;) symbols.insert(word);
    }
}

Result<void> add_column(const std::string& text, const std::string& column,
                        std::set<std::string>& symbols) {
    std::optional<Error> broken;
    const auto sink = [&](text::ReadRecord read) {
        if (read.record.error) {
            if (!broken)
                broken = Error{Errc::invalid_input, read.record.error->message,
                               "line " + std::to_string(read.line)};
        } else if (!read.record.text.empty()) {
            symbols.insert(read.record.text);
        }
    };
    text::RecordReader reader(text::RecordFormat::csv, {.text = column, .custom_id = {}});
    if (auto fed = reader.feed(text, sink); !fed) return fed;
    if (auto ended = reader.finish(sink); !ended) return ended;
    if (broken) return fail(*broken);
    return {};
}

// The column symbol or ticker in any case, or the only one.
Result<void> add_records(const std::string& text, std::set<std::string>& symbols) {
    text::RecordReader header(text::RecordFormat::csv, {});
    // Fails because there is no column "text", after the header has been read.
    static_cast<void>(header.feed(text, [](text::ReadRecord) {}));
    std::string column;
    for (const auto& name : header.header()) {
        std::string lower = name;
        std::ranges::transform(lower, lower.begin(),
                               [](unsigned char c) { return std::tolower(c); });
        if (lower == "symbol" || (lower == "ticker" && column.empty())) column = name;
    }
    if (column.empty() && header.header().size() == 1) column = header.header().front();
    if (column.empty())
        return fail(Errc::invalid_input, "The file has no column \"symbol\" or \"ticker\".");
    return add_column(text, column, symbols);
}

}  // namespace

Result<std::set<std::string>> wanted_symbols(const std::vector<std::string>& given) {
    std::set<std::string> symbols;
    for (const std::string& name : given) {
        const bool csv = client::is_csv(name);
        if (!csv && !name.ends_with(".txt")) {
            symbols.insert(name);
            continue;
        }
        const auto text = terminal::read_text(name);
        if (!text) return fail(text.error());
        std::set<std::string> listed;
        if (!csv) {
            add_words(*text, listed);
        } else if (const auto read = add_records(*text, listed); !read) {
            const auto& where = read.error().where;
            return fail(read.error().code, read.error().message,
                        where.empty() ? name : name + ", " + where);
        }
        if (listed.empty()) return fail(Errc::invalid_input, "The file lists no symbols.", name);
        symbols.merge(listed);
    }
    return symbols;
}

Result<std::vector<std::string>> listed_symbols(const std::vector<std::string>& given) {
    const auto symbols = wanted_symbols(given);
    if (!symbols) return fail(symbols.error());
    return std::vector<std::string>(symbols->begin(), symbols->end());
}

}  // namespace plimsoll::jobs::waves
