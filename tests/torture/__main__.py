"""Runs attacks and prints what came of them: `python -m tests.torture sessions --count 100000`."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.torture.figures import add_up
from tests.torture.kills import attack_by_kills
from tests.torture.places import attack_by_places
from tests.torture.sandbox import KINDS, Tally, attack
from tests.torture.travels import attack_by_travels

_KILLS, _PLACES, _TRAVELS = "kills", "places", "travels"
_ALL = (*KINDS, _TRAVELS, _KILLS, _PLACES)


def main() -> int:
    """Run one kind of attack, or all; the exit status is 1 when anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("kind", nargs="*", choices=[[], *_ALL], help="what to attack; all of them")
    parser.add_argument("--count", type=int, default=2000, metavar="N", help="cases of each kind")
    parser.add_argument(
        "--first", type=int, default=0, metavar="SEED", help="the first case's seed"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at a time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the counts to this file")
    options = parser.parse_args()
    failed = False
    for kind in options.kind or _ALL:
        start = time.perf_counter()
        count = options.count
        if kind == _KILLS:  # one takes a second, and cannot share a process with threads
            count = count if options.kind else count // 20
            tally = attack_by_kills(count, options.first)
        elif kind == _TRAVELS:
            tally = attack_by_travels(count, options.first)
        elif kind == _PLACES:
            tally = attack_by_places()
            count = tally.counts.total()
        else:
            tally = _in_parallel(kind, count, options.first, options.jobs)
        counts = ", ".join(f"{count:,} {outcome}" for outcome, count in tally.counts.most_common())
        seconds = time.perf_counter() - start
        sys.stdout.write(f"{kind}: {count:,} cases in {seconds:,.0f} s: {counts}\n")
        for seed, outcome, text in tally.wrong[:20]:
            sys.stdout.write(f"--- {kind} {seed}: {outcome}\n{text[-1500:]}\n")
        failed |= bool(tally.wrong)
        if options.json is not None:
            add_up(options.json, kind, tally)
    return int(failed)


def _in_parallel(kind: str, count: int, first: int, jobs: int) -> Tally:
    whole = Tally()
    bounds = [first + count * part // jobs for part in range(jobs + 1)]
    with ThreadPoolExecutor(jobs) as pool:
        parts = pool.map(
            lambda place: attack(kind, bounds[place + 1] - bounds[place], bounds[place]),
            range(jobs),
        )
        for part in parts:
            whole.counts.update(part.counts)
            whole.wrong += part.wrong
    return whole


if __name__ == "__main__":
    sys.exit(main())
