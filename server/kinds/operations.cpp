#include "server/kinds/operations.hpp"

// kinds_with_rest.inc is made by the build: the lines of kinds.inc whose folder has a rest/. Each
// defines plimsoll::jobs::<folder>::add_operations.
#define PLIMSOLL_KIND(folder)                                       \
    namespace plimsoll::jobs::folder {                              \
    void add_operations(http::Handlers& handlers, const Services&); \
    }
#include "server/kinds/kinds_with_rest.inc"
#undef PLIMSOLL_KIND

namespace plimsoll::jobs {

void add_operations(http::Handlers& handlers, const Services& services) {
#define PLIMSOLL_KIND(folder) folder::add_operations(handlers, services);
#include "server/kinds/kinds_with_rest.inc"
#undef PLIMSOLL_KIND
}

}  // namespace plimsoll::jobs
