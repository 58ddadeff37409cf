#include "engine/training/tape/ddp_buckets.hpp"

#include <deque>
#include <map>
#include <utility>

namespace plimsoll::training {

void DdpBuckets::setup() {
    send_weights();
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

// All cards start with the first one's weights, frozen ones too: copies of those of one type, two
// buckets at a time. A bucket of one tensor is that tensor.
void DdpBuckets::send_weights() {
    struct Bucket {
        std::int64_t bytes = 0;
        int tensors = 0;
    };
    std::map<std::int64_t, Bucket> open;  // by bytes of a number, 0: packed
    std::deque<BufferId> sent;
    const auto send = [&](Bucket& bucket) {
        if (sent.size() == 2) {
            graph_.release(sent.front());
            sent.pop_front();
        }
        sent.push_back(bucket.tensors > 1 ? graph_.allocate(bucket.bytes, Group::communication)
                                          : kNoBuffer);
        bucket = {};
    };
    for (const auto& p : graph_.parameters()) {
        if (p.elements == 0) continue;
        const auto bytes = graph_.bytes(p.data);
        auto& bucket = open[bytes / p.elements];
        bucket.bytes += bytes;
        ++bucket.tensors;
        if (bucket.bytes >= kDdpBroadcastBytes) send(bucket);
    }
    for (auto& [width, bucket] : open)
        if (bucket.tensors > 0) send(bucket);
    for (const auto id : sent) graph_.release(id);
}

}  // namespace plimsoll::training
