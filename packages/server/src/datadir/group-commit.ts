// Group commit: whoever asks for a write gets a promise of a write that began after the question, and all who ask while
// one is running share the next.

export class GroupCommit {
  readonly #write: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Settles as the write does that holds everything up to now. */
  request(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#start();
    const start = () => this.#start();
    this.#next = this.#running.then(start, start);
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const run = this.#write();
    this.#running = run;
    const done = () => {
      if (this.#running === run) this.#running = undefined;
    };
    run.then(done, done);
    return run;
  }
}
