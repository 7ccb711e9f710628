"""A company of its own, served on this machine, and browsers that look at it."""
import contextlib
import os
import pathlib
import signal
import socket
import socketserver
import subprocess
import threading
import time
import urllib.request

PROGRAM = ".build/staffbook"
SERVER = ".build/staffbookd"
PATIENCE = 60


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Proxy(socketserver.ThreadingTCPServer):
    """What signs a person in: it stands before the server, and says in a header who sends a request."""

    daemon_threads = True

    def __init__(self, name, port):
        super().__init__(("127.0.0.1", 0), ProxyConnection)
        self.name = name
        self.port = port
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Browsers close connections when they like, and servers stop."""


class ProxyConnection(socketserver.StreamRequestHandler):
    def handle(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as server:
            threading.Thread(target=self.answer, args=[server], daemon=True).start()
            while line := self.rfile.readline():
                head = [line]
                while line.strip():
                    line = self.rfile.readline()
                    head.append(line)
                if self.server.name:
                    head.insert(1, f"Remote-User: {self.server.name}\r\n".encode())
                fields = dict(line.lower().split(b":", 1) for line in head[1:-1])
                content = self.rfile.read(int(fields.get(b"content-length", 0)))
                server.sendall(b"".join(head) + content)
            # Closing does not end what another thread waits for.
            server.shutdown(socket.SHUT_RDWR)

    def answer(self, server):
        with contextlib.suppress(OSError):
            while content := server.recv(1 << 16):
                self.request.sendall(content)
        with contextlib.suppress(OSError):
            self.request.shutdown(socket.SHUT_RDWR)


class Company:
    """The sample company in a folder, in the private server there; people are signed in by a header."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.server = None
        config = self.folder / "config"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.yaml").write_text(
            "poll: 1 second\n"
            "server:\n"
            f"  listen: 127.0.0.1:{self.port}\n"
            "  reports: directory@fernlicht.example\n"
            "  requests_per_second: 1000\n"
            "  sign_in:\n    header: Remote-User\n    match: id\n    from: [127.0.0.1]\n"
        )

    def run(self, *arguments, content=None):
        """Runs the command line as the administrator."""
        environment = dict(os.environ, STAFFBOOK_HOME=str(self.folder))
        done = subprocess.run(
            [PROGRAM, *arguments], env=environment, input=content, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"staffbook {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def start(self):
        environment = dict(os.environ, STAFFBOOK_HOME=str(self.folder))
        with open(self.folder / "server.log", "ab") as log:
            self.server = subprocess.Popen([SERVER], env=environment, stdout=log, stderr=log)
        self.wait("/readyz")

    def wait(self, path):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return urllib.request.urlopen(self.url + path).read().decode()
            except OSError:
                if time.monotonic() > end or self.server.poll() is not None:
                    raise
                time.sleep(0.1)

    def stop(self):
        if self.server:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait(PATIENCE)
            self.server = None

    def metric(self, name):
        for line in self.wait("/metrics").splitlines():
            if line.startswith(f"staffbookd_{name} "):
                return float(line.split()[1])
        raise RuntimeError(f"no figure {name}")

    def end(self):
        self.stop()
        self.run("db", "stop")
