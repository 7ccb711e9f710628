"""Types into a program on a terminal of 80 columns and 24 rows, and prints what it takes.

    typing.py NAME UP KEYS WORD[,WORD…] COMMAND…

UP is `up` or `down`, the arrow that leads into the list after some KEYS. Words are typed letter by
letter, each after `/` where WORD begins with one. Prints lines of figure, value and unit:

    paint        from the start of the process until something is on the screen
    ready        until the screen rests: what a program reads at first is there
    arrow.*      from an arrow key until the screen rests, and the bytes that came
    echo.*       from a letter until the first byte: what was typed is drawn
    rows.*       from a letter until rows were drawn
    rest.*       from a letter until the screen rests
    anonymous    memory of the process without mapped files (RssAnon)
    idle         processor time in three seconds without a key
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

ROWS_TAKE = 150  # Bytes: less is the line of what is typed, or a count.
ARROWS = {"up": b"\x1bOA", "down": b"\x1bOB"}


class Terminal:
    def __init__(self, command):
        self.start = time.monotonic()
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            # The size is there before the program asks for it.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            os.execvpe(command[0], command, dict(os.environ, TERM="xterm-256color"))

    def press(self, keys, quiet):
        """Milliseconds and size of each piece of output, until nothing comes for `quiet` seconds."""
        start = time.monotonic()
        os.write(self.screen, keys)
        return self.pieces(start, quiet, patience=2.0)

    def pieces(self, start, quiet, patience=20.0):
        pieces = []
        while True:
            ready, _, _ = select.select([self.screen], [], [], quiet if pieces else patience)
            if not ready:
                return pieces
            try:
                data = os.read(self.screen, 65536)
            except OSError:
                return pieces
            pieces.append(((time.monotonic() - start) * 1000, len(data)))
            patience = quiet

    def processor(self):
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def anonymous(self):
        with open(f"/proc/{self.pid}/status") as file:
            for line in file:
                if line.startswith("RssAnon"):
                    return int(line.split()[1]) / 1024
        return 0

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        deadline = time.monotonic() + 5
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            # A program that ends may still have something to write.
            ready, _, _ = select.select([self.screen], [], [], 0.05)
            if ready:
                try:
                    os.read(self.screen, 65536)
                except OSError:
                    pass
        os.close(self.screen)


def percentile(values, share):
    values = sorted(values)
    return values[min(int(len(values) * share), len(values) - 1)]


def report(name, figure, value, unit):
    print(f"{name}.{figure} {value:.2f} {unit}", flush=True)


def main():
    name, direction, keys, words, *command = sys.argv[1:]
    paints = []
    for _ in range(5):
        terminal = Terminal(command)
        paints.append(terminal.pieces(terminal.start, 0.3)[0][0])
        terminal.end()
    report(name, "paint", percentile(paints, 0.5), "ms")

    terminal = Terminal(command)
    report(name, "ready", terminal.pieces(terminal.start, 3)[-1][0], "ms")
    for key in keys:
        terminal.press(key.encode(), 0.3)
    arrows = []
    for turn in range(600):
        # To the end of a list, and back.
        pieces = terminal.press(ARROWS[direction], 0.02)
        if pieces:
            arrows.append(pieces)
        else:
            direction = "up" if direction == "down" else "down"
        if len(arrows) == 300 or turn - len(arrows) > 5:
            break
    times = [pieces[-1][0] for pieces in arrows]
    if not times:
        raise SystemExit(f"{name}: the arrow keys move nothing")
    report(name, "arrow.p50", percentile(times, 0.5), "ms")
    report(name, "arrow.p99", percentile(times, 0.99), "ms")
    sizes = [sum(size for _, size in pieces) for pieces in arrows]
    report(name, "arrow.bytes", sum(sizes) / max(len(sizes), 1), "B")

    echoes, rows, rests = [], [], []
    for word in filter(None, words.split(",")):
        if word.startswith("/"):
            terminal.press(b"/", 0.2)
        for letter in word.removeprefix("/"):
            pieces = terminal.press(letter.encode(), 0.5)
            if not pieces:
                continue
            echoes.append(pieces[0][0])
            drawn = [moment for moment, size in pieces if size >= ROWS_TAKE]
            if drawn:
                rows.append(drawn[0])
            rests.append(pieces[-1][0])
        terminal.press(b"\x1b" if word.startswith("/") else b"\x15", 0.5)
    for figure, values in ("echo", echoes), ("rows", rows), ("rest", rests):
        for share in (50, 90, 100) if values else ():
            report(name, f"{figure}.p{share}", percentile(values, share / 100), "ms")
    report(name, "anonymous", terminal.anonymous(), "MB")
    before = terminal.processor()
    time.sleep(3)
    report(name, "idle", terminal.processor() - before, "ms")
    terminal.end()


main()
