"""Runs the tests, follows their events, and tells of them in few lines; scripts/test calls it.

usage: report.py LOG EVENTS QUIET AGAIN -- COMMAND…

COMMAND writes its events (Swift Testing's JSON, one in a line) to EVENTS, and all that it prints goes to
LOG, where each test adds one line when it ends. What went wrong is shown, where there is no terminal also
how many tests have ended each half minute (or STAFFBOOK_TEST_INTERVAL seconds), or all of LOG unless QUIET is
`yes`; then a summary. AGAIN is how the same tests are run again, to which the summary adds the filter
of each test that failed. The exit status is that of COMMAND.

A test's time is its own, without its waiting for a turn. For that, COMMAND writes measures, which
Tests/TestSupport/TestMeasures.swift describes, to the file that STAFFBOOK_TEST_MEASURES names. The summary
counts what the tests started, and the connections in STAFFBOOK_TEST_SERVER_LOG, the log of a server with
log_connections; after a run of many tests it also has the slowest. STAFFBOOK_PHASE, if it is set, is what
each line about progress begins with.
"""

import collections
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time


def one_line(text):
    """A text without anything that breaks a line or controls a terminal."""
    return ''.join(c if c.isprintable() else c.encode('unicode_escape').decode() for c in text)


def some_lines(text, most=40, width=2000):
    """The lines of what went wrong; the screen of a terminal has many."""
    lines = text.split('\n')
    left = len(lines) - most
    lines = [one_line(line)[:width] for line in lines[:most]]
    return lines + ([f'… and {counted(left, "line")} more, see the log'] if left > 0 else [])


def counted(count, singular, plural=None):
    return f'{count:,} {singular if count == 1 else plural or singular + "s"}'


class Measures:
    """The sums of what the tests measured, by kind and name."""

    def __init__(self, path):
        self.file = open(path, 'rb')
        self.rest = b''
        self.sums = collections.defaultdict(collections.Counter)

    def read(self):
        *lines, self.rest = (self.rest + self.file.read()).split(b'\n')
        for line in lines:
            kind, value, name = line.decode('utf-8', 'replace').split(' ', 2)
            self.sums[kind][name] += json.loads(value)

    def line(self, server_log):
        """What the tests started and how often, if anything."""
        self.read()
        parts = []
        if programs := self.sums['program'].most_common():
            shown = [f'{name} {counted(count, "time")}' for name, count in programs[:12]]
            if others := sum(count for _, count in programs[12:]):
                shown.append(f'other programs {counted(others, "time")}')
            parts.append(f'started {", ".join(shown)}')
        if databases := self.sums['database']:
            copied = f'{databases["copied"]:,} of them copied'
            parts.append(f'created {counted(sum(databases.values()), "database")}, {copied}')
        if clusters := self.sums['program']['initdb']:
            parts.append(f'initialised {counted(clusters, "cluster")}')
        if server_log:
            try:
                with open(server_log, 'rb') as lines:
                    connections = sum(b'connection received' in line for line in lines)
            except OSError:
                connections = 0  # A log that is gone is not worth the run.
            if connections:
                parts.append(f'opened {counted(connections, "connection")} to the test server')
        return 'test: ' + '; '.join(parts) if parts else None


class Report:
    def __init__(self, log, measures, is_verbose, again):
        self.log = log
        self.measures = measures
        self.again = again
        self.is_verbose = is_verbose
        self.is_terminal = sys.stdout.isatty() and os.environ.get('TERM', 'dumb') != 'dumb'
        self.names = {}
        self.begun = {}
        self.ended = set()
        self.failed = {}
        self.cases = collections.Counter()
        self.case_seconds = collections.Counter()
        self.own_seconds = {}
        self.phase = os.environ.get('STAFFBOOK_PHASE', '')
        self.other_issues = 0
        self.last_words = None
        self.start = time.monotonic()
        self.has_progress = False
        self.interval = float(os.environ.get('STAFFBOOK_TEST_INTERVAL', 30))
        self.next_line = self.start + self.interval
        self.shown_until = 0

    def say(self, *lines):
        self.erase_progress()
        for line in lines:
            print(line)
        sys.stdout.flush()

    def erase_progress(self):
        if self.has_progress:
            sys.stdout.write('\r\x1b[K')
            self.has_progress = False

    def show_progress(self):
        now = time.monotonic()
        if not self.is_terminal and (self.is_verbose or now < self.next_line):
            return
        self.next_line = now + self.interval
        self.erase_progress()
        # Swift Testing tells the ends late: for four minutes of a run there was none. A test counts with
        # the first of its cases.
        ended = len(self.ended | self.cases.keys())
        done = f'{ended:,} of {counted(len(self.names), "test")}'
        failed = f', {len(self.failed):,} failed' if self.failed else ''
        minutes, seconds = divmod(int(now - self.start), 60)
        phase = f'{one_line(self.phase)}: ' if self.phase else ''
        text = f'{phase}{done}{failed}, {minutes}:{seconds:02}'
        if not self.is_terminal:
            self.say(text)
            return
        sys.stdout.write(text[: shutil.get_terminal_size().columns - 1])
        sys.stdout.flush()
        self.has_progress = True

    def note(self, line):
        """Adds to the log; the tests' own output comes to the same end of it."""
        os.write(self.log, (line + '\n').encode('utf-8', 'replace'))

    def show_log(self):
        """Shows what is new in the log."""
        while self.is_verbose:
            piece = os.pread(self.log, 1 << 16, self.shown_until)
            if not piece:
                break
            self.erase_progress()
            self.shown_until += len(piece)
            sys.stdout.buffer.write(piece)
        sys.stdout.flush()

    def take(self, line):
        try:
            record = json.loads(line)
        except ValueError:
            return  # Cut off by a crash.
        payload = record.get('payload', {})
        kind = payload.get('kind')
        if record.get('kind') == 'test':
            if kind == 'function':
                self.names[payload['id']] = self.name(payload['id'])
            return
        test = payload.get('testID')
        messages = payload.get('messages', [])
        if kind == 'testStarted' and test in self.names:
            self.begun[test] = payload['instant']['absolute']
        elif kind == 'testCaseStarted':
            self.case_seconds[test] -= payload['instant']['absolute']
        elif kind == 'testCaseEnded':
            self.cases[test] += 1
            self.case_seconds[test] += payload['instant']['absolute']
        elif kind == 'testEnded' and test in self.names:
            self.end(test, messages)
        elif kind == 'testSkipped' and test in self.names:
            self.ended.add(test)
            self.note(f'➜ {self.names[test]}: skipped')
        elif kind == 'issueRecorded':
            self.issue(test, payload)
        elif kind == 'runEnded' and messages:
            self.last_words = one_line(messages[0]['text'])

    @staticmethod
    def name(test):
        """`Module.Suite/function()` without its place in a file."""
        return one_line(re.sub(r'/[^/]*\.swift:\d+:\d+$', '', test))

    def end(self, test, messages):
        self.ended.add(test)
        has_failed = any(message['symbol'] == 'fail' for message in messages)
        if has_failed:
            self.failed.setdefault(test, True)
        waited = self.measures.sums['waited'][test]
        if test in self.cases:
            seconds = max(0, self.case_seconds[test] - waited)
        else:
            seconds = self.measures.sums['used'].get(test)
        details = []
        if seconds is not None:
            self.own_seconds[test] = seconds
            details.append(f'{seconds:.1f} s')
        if waited:
            details.append(f'waited {waited:.1f} s')
        if self.cases[test] > 1:
            details.append(f'{self.cases[test]} arguments')
        shown = f' ({", ".join(details)})' if details else ''
        self.note(f'{"✘" if has_failed else "✔"} {self.names[test]}{shown}')

    def issue(self, test, payload):
        messages = payload['messages']
        if not any(message['symbol'] == 'fail' for message in messages):
            return
        if test in self.names:
            self.failed[test] = True
        else:
            self.other_issues += 1
        if self.is_verbose:
            return
        place = payload['issue'].get('sourceLocation') or {}
        arguments = payload.get('_testCase', {}).get('displayName')
        title = [self.names.get(test, 'outside of any test')]
        if arguments:
            title.append(f' with {one_line(arguments)[:500]}')
        if place:
            title.append(f' at {place["fileID"]}:{place["line"]}')
        lines = [line for message in messages for line in some_lines(message['text'])]
        self.say('✘ ' + ''.join(title), *(f'    {line}' for line in lines))

    def filter(self, test):
        """The option that runs this test alone."""
        name = re.sub(r'(/`[^`]*`).*$', r'\1', self.names[test])
        # A dot matches itself; a name's other signs may mean something in a pattern.
        return '--filter ' + shlex.quote(re.sub(r'([\\^$*+?(){}|\[\]])', r'\\\1', name))

    def command(self, test):
        return f'  {self.again} {self.filter(test)}'

    def slowest(self, most=20, least=40):
        """The lines of the slowest tests, which mean something among many."""
        if len(self.own_seconds) < least:
            return []
        slowest = sorted(self.own_seconds, key=self.own_seconds.get, reverse=True)[:most]
        return [
            f'test: the slowest of the {len(self.own_seconds):,} timed tests, without their waiting for a turn:',
            *(f'  {self.own_seconds[test]:6.1f} s  {self.names[test]}' for test in slowest),
        ]

    def summary(self, status, reason, server_log):
        self.show_log()
        # What failed comes last, where it is seen.
        lines = self.slowest()
        if line := self.measures.line(server_log):
            lines.append(line)
        lines += self.unfinished(reason) if reason else []
        if self.failed:
            these = 'this test' if len(self.failed) == 1 else f'these {len(self.failed):,} tests'
            lines.append(f'test: {these} failed; to run one alone:')
            lines += [self.command(test) for test in self.names if test in self.failed]
        if self.other_issues:
            lines.append(f'test: {counted(self.other_issues, "issue")} outside of any test')
        if status and not self.names:
            lines.append('test: no test ran; the log ends with:')
            lines += [f'  {line}' for line in self.log_lines()[-10:]]
        for line in lines:
            self.note(line)
        self.say(*([self.last_words] if self.last_words else []), *lines)

    def unfinished(self, reason):
        """What a run that did not come to its end leaves open."""
        crash = self.crash_lines()
        done = f'{len(self.ended):,} of {counted(len(self.names), "test")}'
        lines = [f'test: {reason} after {done}', *(f'  {line}' for line in crash)]
        never = len(self.names) - len(self.begun.keys() | self.ended)
        if never:
            lines.append(f'test: {counted(never, "test")} never began')
        running = [test for test in self.begun if test not in self.ended]
        if not running:
            return lines

        # First what the trace of a crash names, then what began last: it has had the least time.
        def rank(test):
            file = test.rsplit('/', 1)[-1].split(':')[0]
            return (not any(f'/{file}:' in line for line in crash), -self.begun[test])

        running.sort(key=rank)
        lines.append(f'test: {counted(len(running), "test")} had begun and not ended; to run one alone:')
        shown = 40
        lines += [self.command(test) for test in running[:shown]]
        if len(running) > shown:
            lines.append(f'  … and {len(running) - shown:,} more, see the log')
            for test in running[shown:]:
                self.note(f'… {self.names[test]}: had begun and not ended')
        return lines

    def log_lines(self):
        size = os.fstat(self.log).st_size
        text = os.pread(self.log, 1 << 20, max(0, size - (1 << 20))).decode('utf-8', 'replace')
        return [one_line(line)[:500] for line in text.splitlines()]

    def crash_lines(self):
        """What the process said when it crashed, and where in our own code that was."""
        lines = self.log_lines()
        # Exit tests provoke traps as well, but the last one ended the run.
        crash = max((at for at, line in enumerate(lines) if line.startswith('*** Program crashed')), default=None)
        if crash is None:
            return []
        errors = [line for line in lines[max(crash - 10, 0) : crash] if 'Fatal error: ' in line]
        thread = next((at for at in range(crash, len(lines)) if lines[at].endswith(' crashed:')), crash)
        frames = itertools.takewhile(str.strip, lines[thread + 2 :])
        ours = [line for line in frames if re.search(r' at /(?!tmp/).*\.swift:\d', line)]
        return errors[-1:] + [lines[crash]] + [line.strip() for line in ours[:20]]


def main():
    log_path, events_path, quiet, again, _, *command = sys.argv[1:]
    sys.stdout.reconfigure(encoding='utf-8', errors='backslashreplace')
    log = os.open(log_path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    measures_path = events_path + '.measures'
    for path in events_path, measures_path:
        open(path, 'w').close()
    report = Report(log, Measures(measures_path), quiet != 'yes', again)
    report.shown_until = os.fstat(log).st_size
    ended_by = []
    # The command gets the signal, too, which is sent to the whole group.
    signal.signal(signal.SIGTERM, lambda number, frame: ended_by.append(number))
    environment = {**os.environ, 'STAFFBOOK_TEST_MEASURES': measures_path}
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
    try:
        follow(child, events_path, report)
    finally:
        # The reader of our output may have closed it.
        if child.poll() is None:
            child.terminate()
    os.remove(events_path)
    os.remove(measures_path)
    status = child.returncode
    reason = None
    if ended_by:
        reason = 'ended by a signal'
    elif status and report.names and not report.last_words:
        reason = f'the test process was ended by signal {-status}' if status < 0 else 'the test process ended'
    report.summary(status, reason, os.environ.get('STAFFBOOK_TEST_SERVER_LOG'))
    sys.exit(128 - status if status < 0 else status)


def follow(child, path, report):
    """Takes the events of a child until it has ended."""
    rest = b''
    is_running = True
    with open(path, 'rb') as events:
        while is_running:
            is_running = child.poll() is None
            while piece := events.read(1 << 20):
                *lines, rest = (rest + piece).split(b'\n')
                # A test has written its measures before its end is told.
                report.measures.read()
                for line in lines:
                    report.take(line)
            report.show_log()
            report.show_progress()
            if is_running:
                time.sleep(0.2)


main()
