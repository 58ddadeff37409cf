#include "server/kinds/training_config/rest/rest.hpp"

namespace plimsoll::jobs::training_config {

void add_operations(http::Handlers& handlers, Services services) {
    add_gpu_profiles(handlers, services.records);
    add_measurements(handlers, services.records, services.jobs);
}

}  // namespace plimsoll::jobs::training_config
