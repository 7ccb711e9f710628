// News of the directory: one stream of events for all tabs of a browser.
//
// The tab that holds the lock reads the stream and tells the others; when it is closed, another gets
// the lock.

const pause = 3_000;

/**
 * What the tabs tell each other:
 * `{kind: "here" | "away" | "signedOut" | "reset"}`, `{kind: "state", takenAt, state, isFirst}`, the
 * first of a stream being the state that it begins with,
 * `{kind: "changes", ids}`, and `{kind: "hello"}` of a tab that wants to know the last of these.
 *
 * @param {(news: {kind: string}) => void} hear
 */
export function listen(hear) {
  const channel = new BroadcastChannel("staffbook");
  let reader;
  channel.onmessage = ({ data }) => {
    if (data.kind !== "hello") hear(data);
    else if (reader?.last) channel.postMessage(reader.last);
  };
  const tell = (news) => {
    channel.postMessage(news);
    hear(news);
  };
  const read = () => {
    reader = new Reader(tell);
    return new Promise(() => {});
  };
  // Browsers have locks only where the connection is safe; elsewhere each tab has its stream.
  if (navigator.locks) navigator.locks.request("staffbook.events", read);
  else read();
  channel.postMessage({ kind: "hello" });
  return { again: () => reader?.again() };
}

class Reader {
  constructor(tell) {
    this.tell = (news) => {
      if (["here", "away", "signedOut"].includes(news.kind)) {
        if (news.kind === this.last?.kind) return;
        this.last = news;
      }
      tell(news);
    };
    this.open();
  }

  open() {
    const source = (this.source = new EventSource("/api/v1/events"));
    const on = (name, hear) =>
      source.addEventListener(name, ({ data, lastEventId }) => hear(JSON.parse(data), lastEventId));
    let isFirst;
    source.onopen = () => {
      isFirst = true;
      this.tell({ kind: "here" });
    };
    source.onerror = () => {
      if (source !== this.source) return;
      if (source.readyState === EventSource.CLOSED) this.ask();
      else this.tell({ kind: "away" });
    };
    on("state", ({ takenAt }, state) => {
      this.tell({ kind: "state", takenAt, state, isFirst });
      isFirst = false;
    });
    on("reset", ({ takenAt }) => this.tell({ kind: "reset", takenAt }));
    on("changes", (changes) =>
      this.tell({
        kind: "changes",
        ids: [...changes.added, ...changes.changed].map(({ id }) => id),
      })
    );
  }

  /** A stream that was refused does not come back by itself: asks why, and tries again. */
  async ask() {
    const status = await fetch("/api/v1", { cache: "no-store" }).then(
      (answer) => answer.status,
      () => 0
    );
    if (status === 401 || status === 403) this.tell({ kind: "signedOut" });
    else if (status !== 200) this.tell({ kind: "away" });
    setTimeout(() => this.again(), pause);
  }

  again() {
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.open();
  }
}
