#pragma once

#include <span>
#include <string_view>

namespace plimsoll::postgres {

// One SQL statement with a name for logs and errors. The texts live in queries/*.sql and become
// constants at build time (`sql::…` of the generated sql.hpp), so an unknown name does not compile.
struct Query {
    std::string_view name;
    const char* text;
    // The session's name for it, which changes with the text; null: it is parsed each time.
    const char* prepared = nullptr;
};

}  // namespace plimsoll::postgres
