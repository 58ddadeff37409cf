#include "server/kinds/training_config/rest/rest.hpp"

namespace plimsoll::jobs::training_config {

void add_operations(http::Handlers& handlers, const Services& services) {
    add_gpu_profiles(handlers, services.stores.records);
    add_measurements(handlers, services.stores.records, services.stores.jobs);
    add_memory_comparisons(handlers, services);
}

}  // namespace plimsoll::jobs::training_config
