#pragma once

#include <span>
#include <string_view>

namespace plimsoll::postgres {

// One SQL statement with a name for logs and errors. The texts live in queries/*.sql and become
// constants at build time (`sql::…` of the generated sql.hpp), so an unknown name does not compile.
struct Query {
    std::string_view name;
    const char* text;
    // Name of the prepared statement, which changes with the text; null: parsed each time.
    const char* prepared = nullptr;
};

}  // namespace plimsoll::postgres
