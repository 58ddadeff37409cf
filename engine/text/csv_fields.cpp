#include "engine/text/csv_fields.hpp"

#include <algorithm>

namespace plimsoll::text {
namespace {

// Takes the first field and the comma behind it off the front; false when no comma followed.
bool take_field(std::string_view& rest, std::string& field) {
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
    const std::size_t comma = std::min(rest.find(','), rest.size());
    field.append(rest.substr(0, comma));
    const bool more = comma < rest.size();
    rest.remove_prefix(more ? comma + 1 : comma);
    return more;
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view record) {
    std::vector<std::string> fields;
    std::string field;
    bool more = true;
    while (more) {
        more = take_field(record, field);
        fields.push_back(field);
    }
    return fields;
}

std::string csv_field(std::string_view record, std::size_t position) {
    std::string field;
    for (bool more = true; more; --position) {
        more = take_field(record, field);
        if (position == 0) return field;
    }
    return {};
}

}  // namespace plimsoll::text
