#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plans.py [SEEDS]: do plans say what another simulation says?

Simulates runs as the manual describes them, in a program of its own, and has
`retry --plan` make the same plan with so many seeds [100]. Prints a line for each
figure that differs: a 95 % interval must hold the share that gives up for nearly all
seeds, and what 50 or 95 of 100 runs or simulations do not exceed must be neither too
small nor far too large."""

import bisect
import heapq
import json
import math
import random
import subprocess
import sys


def jitter(share):
    return lambda delay: delay * random.uniform(1 - share, 1 + share)


def full(delay):
    return delay * random.random()


class Plan:
    """A plan, as options of retry and as values of the model."""

    def __init__(self, options, attempts=math.inf, cap=math.inf, spread=jitter(0.2),
                 p=0.0, outage=(0, 0), max_time=math.inf, clients=0, budget=None,
                 decorrelated=False):
        self.__dict__.update(locals())

    def delay(self, retry, previous):
        if self.decorrelated:
            return random.uniform(1, max(1, min(self.cap, 3 * previous)))
        # A delay at its cap leaves room for its jitter.
        room = self.cap / 1.2 if self.spread != full else self.cap
        return self.spread(min(2.0 ** (retry - 1), room))

    def simulate(self):
        """One run, or one of all clients: what each does, and the retries' times."""
        count = max(self.clients, 1)
        queue = [(0.0, client, 1, 1.0) for client in range(count)]
        ends, retries = [], []
        tokens, filled = (self.budget or (0, 0))[0], 0.0
        while queue:
            now, client, attempt, previous = heapq.heappop(queue)
            if attempt > 1:
                retries.append(now)
            if self.outage[1]:
                failed = self.outage[0] <= now < self.outage[1]
            else:
                failed = random.random() < self.p
            if not failed:
                ends.append((now, False))
                continue
            if attempt >= self.attempts:
                ends.append((now, True))
                continue
            delay = self.delay(attempt, previous)
            if now + delay >= self.max_time:
                ends.append((now, True))
                continue
            if self.budget:
                tokens = min(self.budget[0], tokens + (now - filled) * self.budget[1])
                filled = now
                if tokens < 1:
                    ends.append((now, True))
                    continue
                tokens -= 1
            heapq.heappush(queue, (now + delay, client, attempt + 1, delay))
        return ends, retries


def busiest(times):
    """The most retries in any second."""
    most = first = 0
    for last, time in enumerate(times):
        while times[first] <= time - 1:
            first += 1
        most = max(most, last - first + 1)
    return most


PLANS = [
    Plan('--plan=p=0.2 -a 4', attempts=4, p=0.2),
    Plan('--plan=p=0.6 -a 0 -b decorrelated -m 30 -T 60', p=0.6, decorrelated=True,
         cap=30, max_time=60),
    Plan('--plan=down=90s -a 8 -j full', attempts=8, cap=60, spread=full,
         outage=(0, 90)),
    Plan('--plan=down=60s,clients=20 -a 12 -m 20s', attempts=12, cap=20,
         outage=(0, 60), clients=20),
    Plan('--plan=p=0.7,clients=20 -a 9 -m 8s --budget=F:tokens=15,rate=.5,success=0',
         attempts=9, cap=8, p=0.7, clients=20, budget=(15, 0.5)),
]


def known(plan):
    """All figures of the plan: sorted values by name, and the share that gives up."""
    values = {'elapsed': [], 'peak_retries': [], 'then_retries': [], 'last_elapsed': []}
    gave_up = []
    for _ in range(20000 // max(plan.clients, 1) if plan.clients else 40000):
        ends, retries = plan.simulate()
        back = plan.outage[1] or math.inf
        values['elapsed'] += [time for time, _ in ends]
        gave_up += [up for _, up in ends]
        values['peak_retries'].append(busiest([t for t in retries if t < back]))
        values['then_retries'].append(busiest([t for t in retries if t >= back]))
        values['last_elapsed'].append(max(time for time, _ in ends))
    return {name: sorted(row) for name, row in values.items()}, \
        sum(gave_up) / len(gave_up), len(gave_up)


def figures(plan, seed):
    out = subprocess.run(['retry', *plan.options.split(), f'--seed={seed}',
                          '--log=json:-'], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out.splitlines()[-1])


def compare(plan, seeds):
    want, share, runs = known(plan)
    got = [figures(plan, seed) for seed in range(1, seeds + 1)]
    # Clients that share a budget make one sample of the share.
    error = 2 * math.sqrt(share * (1 - share) / runs) * (4 if plan.budget else 1)
    held = sum(row['gives_up_low'] - error <= share <= row['gives_up_high'] + error
               for row in got)
    print(f'# {plan.options}: {held} of {seeds} hold {share:.4f} +- {error:.4f}')
    if held < 0.95 * seeds - 3 * math.sqrt(0.0475 * seeds):
        print(f'{plan.options}: only {held} of {seeds} intervals hold {share:.4f}')
    for name, values in want.items():
        for key, q in ((name if 'elapsed' != name else '', 0.5),
                       (f'{name}_p95', 0.95)):
            key = key or 'elapsed_p50'
            rows = [row[key] for row in got if row.get(key) is not None]
            if not rows:
                continue
            independent = 100 if name != 'elapsed' or plan.budget else 10000
            off = math.sqrt(q * (1 - q) / independent)
            # A rounded number stands for those that are rounded to it.
            below = [bisect.bisect_right(values, value * 1.005) / len(values)
                     for value in rows]
            most = values[min(int((q + 6 * off) * len(values)), len(values) - 1)]
            mean = sum(below) / len(below)
            print(f'#   {key}: {min(rows):g} to {max(rows):g}; {mean:.3f} are below')
            if mean < q - 2 * off or min(below) < q - 5 * off:
                print(f'{plan.options}: {key} is too small: {mean} of runs are below')
            if max(rows) > most * 1.1 + ('retries' in key):
                print(f'{plan.options}: {key} is too large: {max(rows)}, not {most}')


if __name__ == '__main__':
    random.seed(1)
    for each in PLANS:
        compare(each, int(sys.argv[1]) if len(sys.argv) > 1 else 100)
