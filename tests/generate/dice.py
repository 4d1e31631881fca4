# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reproducible random choices.

Python promises the same sequence in later versions only for random.random(), and one more choice in
one feature would change everything after it. So this is a small generator of our own (splitmix64),
and fork() gives each feature a sequence that depends on its name alone.
"""

import hashlib

MASK = (1 << 64) - 1


class Dice:
    def __init__(self, *names):
        digest = hashlib.sha256("/".join(str(name) for name in names).encode()).digest()
        self.names = names
        self.state = int.from_bytes(digest[:8], "little")

    def fork(self, name):
        return Dice(*self.names, name)

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        value = self.state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
        return value ^ (value >> 31)

    def below(self, count):
        return self.next() % count

    def between(self, low, high):
        """A number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability):
        return self.next() < probability * (MASK + 1)

    def pick(self, choices):
        return choices[self.below(len(choices))]

    def shuffled(self, items):
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items

    def sample(self, items, count):
        return self.shuffled(items)[:count]
