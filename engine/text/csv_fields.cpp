#include "engine/text/csv_fields.hpp"

#include <algorithm>

namespace plimsoll::text {
namespace {

// Removes the first field and the delimiter after it from the front; false if none followed.
bool take_field(std::string_view& rest, std::string& field, char delimiter) {
    field.clear();
    if (rest.starts_with('"')) {
        rest.remove_prefix(1);
        while (true) {
            const std::size_t quote = std::min(rest.find('"'), rest.size());
            field.append(rest.substr(0, quote));
            rest.remove_prefix(std::min(quote + 1, rest.size()));
            if (!rest.starts_with('"')) break;
            field.push_back('"');
            rest.remove_prefix(1);
        }
    }
    const std::size_t end = std::min(rest.find(delimiter), rest.size());
    field.append(rest.substr(0, end));
    const bool more = end < rest.size();
    rest.remove_prefix(more ? end + 1 : end);
    return more;
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view record, char delimiter) {
    std::vector<std::string> fields;
    std::string field;
    bool more = true;
    while (more) {
        more = take_field(record, field, delimiter);
        fields.push_back(field);
    }
    return fields;
}

void append_csv_record(std::string& out, const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) out += ',';
        const auto& field = fields[i];
        if (field.find_first_of(",\"\r\n") == std::string::npos) {
            out += field;
            continue;
        }
        out += '"';
        for (const char c : field) out.append(c == '"' ? 2 : 1, c);
        out += '"';
    }
}

std::string csv_field(std::string_view record, std::size_t position) {
    std::string field;
    for (bool more = true; more; --position) {
        more = take_field(record, field, ',');
        if (position == 0) return field;
    }
    return {};
}

}  // namespace plimsoll::text
