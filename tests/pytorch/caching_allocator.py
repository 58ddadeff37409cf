"""The blocks that PyTorch's caching allocator returns: the rules of CUDACachingAllocator.cpp for one stream."""

import bisect

MIB = 1 << 20


class Block:
    def __init__(self, address, size, small):
        self.address, self.size, self.small = address, size, small
        self.free, self.before, self.after = False, None, None


class CachingAllocator:
    """Counts what is allocated in whole blocks, as torch.cuda.max_memory_allocated does."""

    def __init__(self):
        self.pools = {True: [], False: []}  # by size and address
        self.top = self.allocated = self.reserved = self.peak = self.peak_reserved = 0

    def allocate(self, bytes_):
        size = max(512, -(-bytes_ // 512) * 512)
        small = size <= MIB
        pool = self.pools[small]
        at = bisect.bisect_left(pool, (size, 0), key=lambda block: (block.size, block.address))
        block = pool.pop(at) if at < len(pool) else self.segment(size, small)
        rest = block.size - size
        if rest >= 512 if small else rest > MIB:
            remainder = Block(block.address + size, rest, small)
            remainder.before, remainder.after = block, block.after
            if block.after:
                block.after.before = remainder
            block.after, block.size = remainder, size
            self.put(remainder)
        block.free = False
        self.allocated += block.size
        self.peak = max(self.peak, self.allocated)
        return block

    def segment(self, size, small):
        bytes_ = 2 * MIB if small else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        self.reserved += bytes_
        self.peak_reserved = max(self.peak_reserved, self.reserved)
        self.top += bytes_
        return Block(self.top - bytes_, bytes_, small)

    def put(self, block):
        block.free = True
        bisect.insort(self.pools[block.small], block, key=lambda one: (one.size, one.address))

    def take(self, block):
        pool = self.pools[block.small]
        pool.pop(bisect.bisect_left(pool, (block.size, block.address), key=lambda one: (one.size, one.address)))

    def release(self, block):
        self.allocated -= block.size
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
