// What the page says of itself: of when the directory is, and whether the server answers.

import { button, h, put } from "./dom.js";
import { setup, t, time } from "./texts.js";

/** The server counts as up to date with its database for so many seconds after it has looked. */
const mostBehind = 300;

export class Status {
  constructor(line) {
    this.line = line;
    this.notice = h("div", { id: "notice", role: "alert", hidden: true });
    document.querySelector("main").before(this.notice);
    this.takenAt = setup.service.takenAt;
    this.behind = setup.service.secondsBehind ?? 0;
    this.seenAt = new Date().toISOString();
    this.now = "here";
    this.say();
  }

  /** @param {{takenAt: string, secondsBehind: number}} service */
  at({ takenAt, secondsBehind }) {
    this.takenAt = takenAt ?? this.takenAt;
    this.behind = secondsBehind ?? this.behind;
    this.seenAt = new Date().toISOString();
    this.say();
  }

  /** @param {"here" | "away" | "signedOut"} now */
  become(now, problem) {
    if (now === this.now) return;
    this.now = now;
    if (now === "here") this.seenAt = new Date().toISOString();
    this.notice.hidden = now === "here";
    document.body.dataset.connection = now;
    if (now === "away") put(this.notice, t("away", { time: time(this.seenAt) }));
    if (now === "signedOut") {
      put(
        this.notice,
        h("span", {}, t("signedOut"), problem?.remedy && ` (${problem.remedy})`),
        button("", t("signIn"), () => location.reload())
      );
    }
    this.say();
  }

  say() {
    if (!this.takenAt) return;
    const date = time(this.takenAt);
    const behind = new Date(Date.now() - this.behind * 1000).toISOString();
    const text =
      this.now === "away" ? t("stateAway", { date, time: time(this.seenAt) })
      : this.behind > mostBehind ? t("stateBehind", { date, time: time(behind) })
      : t("state", { date });
    // The line is read aloud when it changes, so it only changes where it says something else.
    if (this.line.textContent !== text) this.line.textContent = text;
  }
}
