"""Measures how long after a COMMIT a snapshot is new, while something keeps it up to date.

usage: delay.py SNAPSHOT RUNS REST STATEMENT PSQL-ARGUMENT…

Prints the median, the 99th percentile and the longest in milliseconds. STATEMENT is run RUNS times,
with {} in it replaced by another number each time, and REST seconds and as long as it took between
two of them. A snapshot is new when another file has its name.
"""

import os
import subprocess
import sys
import time


def main():
    snapshot, runs, pause, statement, *arguments = sys.argv[1:]
    psql = subprocess.Popen(
        ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    times = []
    for run in range(int(runs)):
        before = os.stat(snapshot).st_ino
        psql.stdin.write(statement.replace("{}", str(time.time_ns())) + ";\nselect 1;\n")
        psql.stdin.flush()
        psql.stdout.readline()
        committed = time.monotonic()
        while os.stat(snapshot).st_ino == before:
            if time.monotonic() - committed > 600:
                sys.exit("delay: the snapshot is not updated")
            time.sleep(0.0005)
        times.append((time.monotonic() - committed) * 1000)
        # Nobody who waits is disturbed before it waits again.
        time.sleep(float(pause) + times[-1] / 1000)
    psql.stdin.close()
    psql.wait()
    times.sort()
    last = len(times) - 1
    print(*("%.1f" % times[round(last * share)] for share in (0.5, 0.99, 1)))


main()
