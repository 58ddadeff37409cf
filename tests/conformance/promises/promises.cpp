#include "tests/conformance/promises/promises.hpp"

#include <algorithm>

namespace plimsoll::conformance {
namespace {

std::string name_of_test() {
    auto name = unique_test_name();
    std::ranges::replace(name, '/', '_');
    return name;
}

}  // namespace

Promises::Promises()
    : kind_(name_of_test()),
      stores_(std::string(GetParam()) == "memory" ? memory_stores(io_, kind_)
                                                  : postgres_stores(io_, kind_)),
      people_(stores_->make_people(kind_)) {}

}  // namespace plimsoll::conformance
