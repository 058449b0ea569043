# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes series with and without a change, and counts what irqscope.changes says of them. The seed is fixed."""

import random
from itertools import combinations

from irqscope.changes import _counted, _doubled_ranks, changes, difference, place

random.seed(1)

# Of what has no change, values with and without ties, no more is blamed than asked for.
for draw in (random.expovariate, lambda _: random.choice([0, 1, 2, 5])):
    for n in (12, 20, 40, 100):
        chances = [place([draw(1) for _ in range(n)])[1] for _ in range(1000)]
        blamed = {limit: sum(chance <= limit for chance in chances) / 1000 for limit in (0.01, 0.05)}
        assert all(share <= limit for limit, share in blamed.items()), (n, blamed)
        print(f"{n} values without a change: blamed {blamed[0.01]:.1%} at 1 %, {blamed[0.05]:.1%} at 5 %")

# The counted probability is that of all choices.
values = [random.randrange(6) for _ in range(11)]
ranks, _ = _doubled_ranks(values)
for k in (1, 3, 5):
    sums = [sum(chosen) for chosen in combinations(ranks, k)]
    for off in (0, 3, 9, 20):
        assert _counted(ranks, k, off) == sum(abs(one - k * 12) >= off for one in sums) / len(sums), (k, off)

# A change is found, and its begin and its size lie in their intervals.
found = alone = begun = sized = 0
for _ in range(100):
    at = random.randrange(10, 50)
    series = [random.gauss(0, 1) + 2 * (number >= at) for number in range(60)]
    those = changes(series, 0.001)
    found += bool(those)
    if len(those) == 1:
        alone += 1
        begun += those[0].earliest <= at <= those[0].latest
        sized += those[0].low <= 2 <= those[0].high
assert found >= 80 and begun >= 0.95 * alone and sized >= 0.9 * alone, (found, alone, begun, sized)
print(f"of 100 changes by two deviations {found} were found, {alone} as the only one: the begin was right")
print(f"{begun} times and the size {sized} times")

# Two changes, equal values, and what is too short.
two = changes([5] * 40 + [9] * 30 + [6] * 40, 0.001)
assert [(one.at, one.difference) for one in two] == [(40, 4), (70, -3)], two
assert [(one.earliest, one.latest) for one in two] == [(38, 42), (68, 72)], two
assert all(0 < one.chance < 1e-10 for one in two), two
assert [(one.at, one.chance < 1e-5) for one in changes([5] * 60 + [6] * 5, 0.0001)] == [(60, True)]
assert changes([5] * 60, 1) == changes([], 1) == changes([1], 1) == []
assert len(changes(list(range(3000)), 0.01)) > 3, "a long series is searched without recursion"
assert difference([1, 2], [11, 12]) == (10, 9, 11)
