import SystemPackage
import TestSupport
import Testing

/// Programs of others that read what we export; `scripts/setup` installs them.
enum ExportReaders {
  /// Runs a script with Debian's Python, which has openpyxl and vobject, and gives its lines.
  static func python(_ script: String, _ arguments: String...) async throws -> [String] {
    try await lines("/usr/bin/python3", ["-c", script] + arguments)
  }

  static func lines(_ program: FilePath, _ arguments: [String]) async throws -> [String] {
    let outcome = try await runProgram(program, arguments)
    try #require(outcome.status == 0, "\(program): \(outcome)")
    return outcome.stdout.split(separator: "\n").map(String.init)
  }

  /// Loads a file into an empty OpenLDAP database with the standard schemas, as a server would check
  /// it, and gives the names of its entries.
  static func entries(of ldif: FilePath, suffix: String = "o=staffbook") async throws -> [String] {
    // The configuration's own escape is the backslash too.
    let suffix = suffix.split(separator: "\\", omittingEmptySubsequences: false)
      .joined(separator: "\\\\")
    return try await withTemporaryDirectory { folder in
      let configuration = folder.appending("slapd.conf")
      try write(
        """
        include /etc/ldap/schema/core.schema
        include /etc/ldap/schema/cosine.schema
        include /etc/ldap/schema/inetorgperson.schema
        modulepath /usr/lib/ldap
        moduleload back_mdb
        database mdb
        maxsize 1073741824
        dbnosync
        suffix "\(suffix)"
        directory \(folder)

        """,
        to: configuration
      )
      let file = configuration.string
      _ = try await lines("/usr/sbin/slapadd", ["-f", file, "-l", ldif.string])
      return try await lines("/usr/sbin/slapcat", ["-f", file, "-o", "ldif-wrap=no"])
        .filter { $0.hasPrefix("dn:") }
    }
  }

  /// Drives headless Chromium by its DevTools, through a pipe: `page` opens a file, `js` evaluates,
  /// `key` presses one, `problems` are what the console and the security policy complained about.
  static let browser = """
    import base64, fcntl, json, os, subprocess, sys, tempfile, time

    class Browser:
        def __init__(self):
            self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            theirs_in, ours_out = os.pipe()
            ours_in, theirs_out = os.pipe()
            def connect():
                a = fcntl.fcntl(theirs_in, fcntl.F_DUPFD, 20)
                b = fcntl.fcntl(theirs_out, fcntl.F_DUPFD, 20)
                os.dup2(a, 3)
                os.dup2(b, 4)
            self.process = subprocess.Popen(
                ['chromium', '--headless=new', '--no-sandbox', '--disable-gpu',
                 '--remote-debugging-pipe', '--user-data-dir=' + self.folder.name],
                preexec_fn=connect, close_fds=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.close(theirs_in)
            os.close(theirs_out)
            self.output, self.input = ours_out, ours_in
            self.rest, self.count, self.events, self.session = b'', 0, [], None

        def message(self):
            while b'\\0' not in self.rest:
                data = os.read(self.input, 1 << 20)
                if not data: raise EOFError('the browser ended')
                self.rest += data
            first, self.rest = self.rest.split(b'\\0', 1)
            return json.loads(first)

        def send(self, method, **params):
            self.count += 1
            message = {'id': self.count, 'method': method, 'params': params}
            if self.session: message['sessionId'] = self.session
            data = json.dumps(message).encode() + b'\\0'
            while data: data = data[os.write(self.output, data):]
            while True:
                answer = self.message()
                if answer.get('id') == self.count:
                    if 'error' in answer: raise RuntimeError(answer['error'])
                    return answer['result']
                self.events.append(answer)

        def page(self, path, script=True):
            self.session = None
            target = self.send('Target.createTarget', url='about:blank')['targetId']
            self.session = self.send(
                'Target.attachToTarget', targetId=target, flatten=True)['sessionId']
            for domain in ('Page', 'Runtime', 'Log'): self.send(domain + '.enable')
            if not script: self.send('Emulation.setScriptExecutionDisabled', value=True)
            self.events = []
            self.send('Page.navigate', url='file://' + path)
            while not any(e.get('method') == 'Page.loadEventFired' for e in self.events):
                self.events.append(self.message())

        def js(self, code):
            answer = self.send('Runtime.evaluate', expression=code, returnByValue=True)
            if 'exceptionDetails' in answer: raise RuntimeError(answer['exceptionDetails'])
            return answer['result'].get('value')

        def key(self, key, code, text=None):
            extra = {'text': text} if text else {}
            self.send('Input.dispatchKeyEvent', type='keyDown', key=key,
                      windowsVirtualKeyCode=code, **extra)
            self.send('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=code)

        def problems(self):
            self.js('0')
            kinds = ('Runtime.exceptionThrown', 'Log.entryAdded', 'Runtime.consoleAPICalled')
            return [e['params'] for e in self.events if e.get('method') in kinds]

        def close(self):
            self.session = None
            self.send('Browser.close')
            self.process.wait(300)
            self.folder.cleanup()

    """
}
