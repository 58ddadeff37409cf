#include "server/jobs/training_config/rest/rest.hpp"

namespace plimsoll::jobs::training_config {

void add_operations(http::Handlers& handlers, Stores stores) {
    add_gpu_profiles(handlers, stores.records);
    add_measurements(handlers, stores.records, stores.jobs);
}

}  // namespace plimsoll::jobs::training_config
