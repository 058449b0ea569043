# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes in a series of figures: where its level moved, how far, and how probable that is by chance.

A place is tested by the rank sum of the values before it (Wilcoxon 1945; Mann and Whitney 1947), which
asks nothing of their distribution. Both sides of a change are searched again (binary segmentation,
Vostrikova 1981). All is arithmetic without a random number: the same series has the same changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, median

# Up to this many values on the smaller side the chance is counted, and not taken from a normal distribution.
COUNTED = 8
# The confidence of a difference's interval.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Change:
    """A place at which the level of a series moved.

    Attributes:
        at: the first value of the new level, counted from 0.
        begin: the first value of the level before.
        end: the value behind the last one of the new level.
        earliest: with 95 % confidence no value before this one was the first of the new level.
        latest: and none behind this one.
        chance: the probability of such a place, or a clearer one, in values that are in any order.
        difference: how much greater the new level is: the median of all differences of two values, one of
            each level (Hodges and Lehmann 1963).
        low: the difference's interval with 95 % confidence, from here.
        high: to here.
    """

    at: int
    begin: int
    end: int
    earliest: int
    latest: int
    chance: float
    difference: float
    low: float
    high: float


def changes(values: Sequence[float], chance: float) -> list[Change]:
    """Returns the places at which the level of a series moved, in order.

    Args:
        values: one figure of each run, in the order of the runs, shape (n,).
        chance: the greatest probability by chance that a place may have.
    """
    found = _places(values, chance)
    edges = [0, *(at for at, _ in found), len(values)]
    return [
        Change(
            at,
            begin,
            end,
            *_span(values, begin, at, end),
            probability,
            *difference(values[begin:at], values[at:end]),
        )
        for begin, (at, probability), end in zip(edges, found, edges[2:], strict=False)
    ]


def _places(values: Sequence[float], chance: float) -> list[tuple[int, float]]:
    found, parts = [], [(0, len(values))]
    while parts:
        begin, end = parts.pop()
        split, probability = place(values[begin:end])
        if split > 0 and probability <= chance:
            found.append((begin + split, probability))
            parts += [(begin, begin + split), (begin + split, end)]
    return sorted(found)


def _span(values: Sequence[float], begin: int, at: int, end: int) -> tuple[int, int]:
    """Returns the first and the last value with which the new level may have begun, with 95 % confidence.

    If it began with a value, what lies before it has no change, and neither has what lies from it on: the
    values for which that is not refuted are a confidence set.
    """
    each_side = (1 - CONFIDENCE) / 2
    able = [
        first
        for first in range(begin + 1, end)
        if first == at or (place(values[begin:first])[1] > each_side and place(values[first:end])[1] > each_side)
    ]
    return able[0], able[-1]


def place(values: Sequence[float]) -> tuple[int, float]:
    """Returns the place at which a series falls apart most clearly, and the probability of that by chance.

    The place has the greatest standardised rank sum. Its probability is that of its rank sum, times the
    number of places that it was chosen from (Bonferroni): an upper bound, whichever of them is chosen.

    Args:
        values: shape (n,), in order.

    Returns:
        The first value behind the place, and a probability; 0 and 1 where all values are equal.
    """
    n = len(values)
    if n < 2:
        return 0, 1.0
    # Twice the midranks, so that they are integers.
    ranks, ties = _doubled_ranks(values)
    spread = (n + 1) - ties / (n * (n - 1))
    if spread <= 0:
        return 0, 1.0
    best, at, off = 0.0, 0, 0
    total = 0
    for k in range(1, n):
        total += ranks[k - 1]
        from_mean = total - k * (n + 1)
        score = from_mean * from_mean / (k * (n - k))
        if score > best:
            best, at, off = score, k, abs(from_mean)
    if at == 0:
        return 0, 1.0
    if min(at, n - at) <= COUNTED:
        one = _counted(ranks, min(at, n - at), off)
    else:
        # The rank sum's variance is k (n - k) / 12 of this spread; doubled ranks have four times that.
        deviation = math.sqrt(at * (n - at) * spread / 3)
        one = math.erfc(max(0.0, off - 1) / deviation / math.sqrt(2))
    return at, min(1.0, one * (n - 1))


def _doubled_ranks(values: Sequence[float]) -> tuple[list[int], int]:
    """Returns twice the midrank of each value, and the sum of t³ - t over all groups of t equal ones."""
    n = len(values)
    order = sorted(range(n), key=values.__getitem__)
    ranks, ties, first = [0] * n, 0, 0
    while first < n:
        last = first
        while last + 1 < n and values[order[last + 1]] == values[order[first]]:
            last += 1
        equal = last - first + 1
        ties += equal**3 - equal
        for index in order[first : last + 1]:
            ranks[index] = first + last + 2
        first = last + 1
    return ranks, ties


def _counted(ranks: list[int], k: int, off: int) -> float:
    """Returns the share of all choices of k ranks whose sum is at least `off` away from its mean.

    The numbers of choices by their sum are the coefficients of a polynomial, for each number of ranks;
    each polynomial is one large integer, a field of bits for each coefficient.
    """
    n = len(ranks)
    every = math.comb(n, k)
    bits = every.bit_length() + 1
    sums = [1] + [0] * k
    for rank in ranks:
        for taken in range(k, 0, -1):
            sums[taken] += sums[taken - 1] << (bits * rank)
    mean, field, far = k * (n + 1), (1 << bits) - 1, 0
    highest = sums[k].bit_length() // bits
    for total in range(highest + 1):
        if abs(total - mean) >= off:
            far += (sums[k] >> (bits * total)) & field
    return far / every


def difference(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Returns how much greater the values after are, and the interval of that with 95 % confidence.

    The median of all differences, and the interval that belongs to the rank sum test (Hollander, Wolfe and
    Chicken, Nonparametric Statistical Methods, 4.3). Where there are too few values for the confidence the
    interval is that of all differences.
    """
    pairs = sorted(b - a for a in before for b in after)
    n, m = len(before), len(after)
    deviation = math.sqrt(n * m * (n + m + 1) / 12)
    outside = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * deviation
    cut = max(0, math.floor(n * m / 2 - outside))
    return median(pairs), pairs[cut], pairs[-1 - cut]
