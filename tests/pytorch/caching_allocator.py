"""The blocks that PyTorch's caching allocator returns: the rules of CUDACachingAllocator.cpp. Streams share none."""

import bisect
import collections

MIB = 1 << 20


class Block:
    def __init__(self, address, size, pool):
        self.address, self.size, self.pool = address, size, pool
        self.free, self.before, self.after = False, None, None
        self.requested = 0


class CachingAllocator:
    """Counts what is allocated in whole blocks, as torch.cuda.max_memory_allocated does."""

    def __init__(self):
        self.stream = None  # the current one
        self.pools = collections.defaultdict(list)  # of a stream's small or large blocks, by size and address
        self.top = self.allocated = self.reserved = self.peak = self.peak_reserved = 0
        self.requested = self.peak_requested = 0  # without what a block has more

    def allocate(self, bytes_):
        size = max(512, -(-bytes_ // 512) * 512)
        small = size <= MIB
        name = (self.stream, small)
        pool = self.pools[name]
        at = bisect.bisect_left(pool, (size, 0), key=lambda block: (block.size, block.address))
        block = pool.pop(at) if at < len(pool) else self.segment(size, name)
        rest = block.size - size
        if rest >= 512 if small else rest > MIB:
            remainder = Block(block.address + size, rest, name)
            remainder.before, remainder.after = block, block.after
            if block.after:
                block.after.before = remainder
            block.after, block.size = remainder, size
            self.put(remainder)
        block.free = False
        self.allocated += block.size
        self.peak = max(self.peak, self.allocated)
        block.requested = size
        self.requested += size
        self.peak_requested = max(self.peak_requested, self.requested)
        return block

    def segment(self, size, pool):
        bytes_ = 2 * MIB if pool[1] else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        self.reserved += bytes_
        self.peak_reserved = max(self.peak_reserved, self.reserved)
        self.top += bytes_
        return Block(self.top - bytes_, bytes_, pool)

    def put(self, block):
        block.free = True
        bisect.insort(self.pools[block.pool], block, key=lambda one: (one.size, one.address))

    def take(self, block):
        pool = self.pools[block.pool]
        pool.pop(bisect.bisect_left(pool, (block.size, block.address), key=lambda one: (one.size, one.address)))

    def release(self, block):
        self.allocated -= block.size
        self.requested -= block.requested
        for near in (block.before, block.after):
            if near and near.free:
                self.take(near)
        if block.before and block.before.free:
            block.before.size += block.size
            block.before.after = block.after
            if block.after:
                block.after.before = block.before
            block = block.before
        if block.after and block.after.free:
            block.size += block.after.size
            block.after = block.after.after
            if block.after:
                block.after.before = block
        self.put(block)
