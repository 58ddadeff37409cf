#include "engine/training/tape/ddp_buckets.hpp"

#include <utility>

namespace plimsoll::training {

void DdpBuckets::setup() {
    std::int64_t bytes = 0, limit = kFirstDdpBucketBytes;
    const auto& parameters = graph_.parameters();
    for (std::size_t i = parameters.size(); i-- > 0;) {
        if (!parameters[i].trainable) continue;
        bytes += parameters[i].elements * bytes_of(parameters[i].dtype);
        if (bytes < limit) continue;
        graph_.allocate(std::exchange(bytes, 0), Group::communication);
        limit = kDdpBucketBytes;
    }
    graph_.allocate(bytes, Group::communication);
}

}  // namespace plimsoll::training
