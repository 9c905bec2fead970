// One imposter: its stubs, what it counted and recorded, and the way of a request through them.
// A change of the stubs makes a new Program and swaps it in; requests in flight finish on the old one.

import { setMaxListeners } from 'node:events';
// Node's global is a getter, which every use would call
import { performance } from 'node:perf_hooks';
import { asksForDebug, debugAnswer } from './analysis/debug-answer.js';
import { StubWarnings } from './analysis/stub-warnings.js';
import { RiftError } from './errors.js';
import type { ImposterKeeper } from './keeper.js';
import type { Logger } from './logger.js';
import { compilePredicate } from './matching/compile.js';
import { Program } from './matching/program.js';
import type { PredicateContext } from './matching/types.js';
import type { ImposterMeter, Meters } from './metering/meters.js';
import { type ImposterForm, imposterToJson, type JsonFormOptions } from './model/imposter-json.js';
import { isPlainStub } from './model/plain-stub.js';
import type { Warning, Warnings } from './model/read-options.js';
import { ShownStubs } from './model/shown-stubs.js';
import { plainResponse, predicatesOf } from './model/stub-plan.js';
import type { ImposterJson, JsonObject, Profile, ResponseData, ResponseJson, StubJson } from './model/types.js';
import { meantAsResponses } from './model/unknown-keys.js';
import { httpOnlyAdditions } from './protocols/http-only.js';
import type { ImposterCore, Listener, Protocol } from './protocols/types.js';
import type { Random } from './random.js';
import type { ImposterEvents } from './recording/events.js';
import { Journal, type JournalEntry } from './recording/journal.js';
import type { RequestView } from './request-view.js';
import { compileResponse, type ResponseContext } from './responding/compile.js';
import { defaultForward } from './responding/default-forward.js';
import { PendingProxies } from './responding/proxy/pending-proxies.js';
import { datedDefault } from './responding/templates/default-response.js';
import type { Outcome, ResponseOutcome } from './responding/types.js';
import { scriptTimeout } from './scripting/script-timeout.js';
import type { ScriptHost } from './scripting/types.js';
import { ChosenStubs } from './selection/chosen-stubs.js';
import { type MatchRecord, type RingEntry, Stub, type StubMaking } from './selection/stub.js';
import { FlowState } from './state/flow-state.js';
import { StubState } from './state/scenarios.js';
import type { DataThreads, SharedListener } from './threads/data-threads.js';
import type { StubChange } from './threads/messages.js';
import { isShareable } from './threads/shareable.js';
import { shared } from './threads/shared-stubs.js';
import { passedChange } from './young-garbage.js';

/** What holds for every imposter of a process. */
export interface ImposterSettings {
  readonly profile: Profile;
  /** Record the requests of every imposter (`--mock`). */
  readonly recordAll: boolean;
  /** Keep `matches` on the stubs of every imposter (`--debug`). */
  readonly debug: boolean;
  /** Recorded requests kept an imposter; 0 or undefined: all. */
  readonly journalCap?: number;
  readonly meters: Meters;
  /** Told of every change; undefined: imposters live in memory alone. */
  readonly keeper?: ImposterKeeper;
  /** Where every random draw comes from. */
  readonly random: Random;
  readonly events: ImposterEvents;
  /** Milliseconds that a script may run, unless its imposter says otherwise. */
  readonly scriptTimeoutMs: number;
  /** Level of the line that each request writes. */
  readonly requestLogLevel: 'info' | 'debug';
  /** Failing behaviors end a request with an error in profile `rift`, too. */
  readonly strictBehaviors: boolean;
  /** Absolute path that scripts and data files are resolved from. */
  readonly workingDirectory: string;
  allows(address: string): boolean;
  /** Serve imposters whose answers need no state of one thread (`--runtime per-core`). */
  readonly threads?: DataThreads;
  /** Whether some addresses are refused: then imposters are served where the refusals are counted. */
  readonly restricted?: boolean;
  /** One number that counts the requests handled: memory that another thread reads. */
  readonly handled?: Float64Array;
  /** Say nothing about opening and closing: a copy on a data thread. */
  readonly silentLife?: boolean;
}

const NO_MATCH: ResponseOutcome = { kind: 'response', origin: 'none', data: {} };

export class Imposter implements ImposterCore {
  readonly creation: ImposterJson;
  readonly protocol: Protocol;
  readonly profile: Profile;
  readonly logger: Logger;
  metadata: JsonObject;
  readonly journal: Journal;
  readonly scripts: ScriptHost;
  readonly strict: boolean;
  /** Flow state, and the flows of requests. */
  readonly flow: FlowState;
  #meter: ImposterMeter | undefined;
  /** One number: the requests that this thread handled. */
  readonly #handled: Float64Array;
  /** Requests that were handled when the counter was last reset. */
  #handledAtReset = 0;
  /** A disabled imposter answers every request with an error, without counting or recording it. */
  #enabled: boolean;
  /** Proxy calls that the process of an out-of-process protocol makes. */
  readonly pendingProxies = new PendingProxies();
  readonly #settings: ImposterSettings;
  #predicateContext: PredicateContext;
  readonly #responseContext: ResponseContext;
  readonly #recording: boolean;
  readonly #debug: boolean;
  readonly #noMatch: ResponseOutcome;
  /** The default response's part that changes by the moment. */
  readonly #datedDefault: (() => ResponseData) | undefined;
  readonly #keeper: ImposterKeeper | undefined;
  readonly #forward: ((view: RequestView) => Promise<ResponseOutcome>) | undefined;
  /** Ends waits and shell commands of requests that still wait when the imposter stops. */
  readonly #closing = new AbortController();
  readonly #analysis: StubWarnings;
  /** Where the keeper chooses. */
  readonly #chosen: ChosenStubs;
  #warnings: { readonly of: Program<Stub>; readonly found: Warnings } | undefined;
  #program: Program<Stub>;
  /** The stubs as a list, from when it is first asked for. */
  #listed: { readonly of: Program<Stub>; readonly stubs: readonly Stub[] } | undefined;
  /** Another object whenever anything but stubs at the end comes, so that what was found out of the others still holds. */
  #lineage: object = {};
  readonly #shown = new ShownStubs();
  /** Names of stubs in metrics, for as long as no stub moves. */
  #ruleIds: { readonly program: Program<Stub>; readonly names: Map<Stub, string> } | undefined;
  #listener: Listener | undefined;
  /** The listener when data threads serve the imposter. */
  #onThreads: SharedListener | undefined;
  /** Resolves when every change so far is in force on all threads. */
  settled: Promise<void> = Promise.resolve();

  constructor(
    creation: ImposterJson,
    protocol: Protocol,
    settings: ImposterSettings,
    scripts: ScriptHost,
    logger: Logger,
  ) {
    // as many requests may wait as there are clients
    setMaxListeners(0, this.#closing.signal);
    this.creation = creation;
    this.protocol = protocol;
    this.profile = settings.profile;
    this.logger = logger;
    this.metadata = protocol.metadata(creation);
    this.#enabled = creation.enabled !== false;
    let evictions: { value: number } | undefined;
    this.journal = new Journal(
      settings.journalCap,
      () => logger.warn(`${settings.journalCap} requests are recorded: from now on the oldest are dropped`),
      () => {
        evictions ??= settings.meters.evictions.counter(String(this.port));
        evictions.value++;
      },
    );
    this.#analysis = new StubWarnings(creation);
    this.#settings = settings;
    this.#keeper = settings.keeper;
    this.#handled = settings.handled ?? new Float64Array(1);
    settings.meters.used = true;
    this.scripts = scripts;
    this.strict = creation.strictBehaviors === true || settings.strictBehaviors;
    this.flow = new FlowState(creation, logger, () => this.port, settings.meters.flows);
    this.#recording = Boolean(creation.recordRequests) || settings.recordAll;
    this.#debug = settings.debug || creation.recordMatches === true;
    this.#noMatch = { ...NO_MATCH, slot: { serialized: undefined } };
    this.#datedDefault =
      settings.profile === 'rift' && protocol.custom === undefined ? datedDefault(creation.defaultResponse) : undefined;
    this.#forward = this.#defaultForward();
    this.#predicateContext = { encoding: protocol.encoding(creation), scripts, logger };
    this.#responseContext = {
      profile: settings.profile,
      scripts,
      logger,
      workingDirectory: settings.workingDirectory,
      signal: this.#closing.signal,
      strict: this.strict,
      random: settings.random,
      faultMeters: settings.meters.faults,
      scriptMeters: settings.meters.scripts,
      upstreamMeters: settings.meters.upstreams,
      strictTemplates: settings.debug,
      scriptTimeoutMs: scriptTimeout(creation) ?? settings.scriptTimeoutMs,
      debug: settings.debug,
      imposter: this,
    };
    this.#program = Program.of(creation.stubs.map((stub) => this.#compile(stub)));
    this.#chosen = new ChosenStubs(
      (stub) => this.#compile(stub),
      (predicate) => compilePredicate(predicate, this.#predicateContext),
    );
  }

  /** The port really bound; before `start` the one asked for. */
  get port(): number {
    return this.#listener?.port ?? Number(this.creation.port ?? 0);
  }

  get enabled(): boolean {
    return this.#enabled;
  }

  set enabled(enabled: boolean) {
    this.#enabled = enabled;
    this.#changed(() => ({ kind: 'enabled', enabled }));
  }

  /** Requests since the imposter was created. */
  get totalRequests(): number {
    return this.#handled[0] + (this.#onThreads?.handled ?? 0);
  }

  /** Requests since the counter was last reset, as Mountebank shows it. */
  get numberOfRequests(): number {
    return this.totalRequests - this.#handledAtReset;
  }

  /** In match order. */
  get stubs(): readonly Stub[] {
    if (this.#listed?.of !== this.#program) this.#listed = { of: this.#program, stubs: [...this.#program] };
    return this.#listed.stubs;
  }

  /** How texts of its requests are encoded. */
  get encoding(): 'utf8' | 'base64' {
    return this.#predicateContext.encoding;
  }

  /** What the stubs call their scenarios, without repetition, in ascending order. */
  get scenarioNames(): string[] {
    const names = new Set<string>();
    for (const { json } of this.#program) if (typeof json.scenarioName === 'string') names.add(json.scenarioName);
    return [...names].sort();
  }

  /** Whether nothing but the client needs the body of a response: no record of it, no default in its place. */
  get bodiesMayStream(): boolean {
    const defaults = this.creation.defaultResponse as JsonObject | undefined;
    return !this.#debug && (this.profile === 'rift' || !defaults?.body);
  }

  /** What metrics call a stub: its id, else `PORT:INDEX`. */
  ruleId(stub: Stub): string {
    const { id } = stub.json;
    if (typeof id === 'string') return id;
    if (this.#ruleIds?.program !== this.#program) {
      this.#ruleIds = {
        program: this.#program,
        names: new Map(this.stubs.map((each, index) => [each, `${this.port}:${index}`])),
      };
    }
    // a stub that a change has just removed ends what it had begun
    return this.#ruleIds.names.get(stub) ?? `${this.port}:removed`;
  }

  get stubCount(): number {
    return this.#program.length;
  }

  /** The imposter as the admin API shows it; `profile` comes with the imposter. */
  toJson(form: ImposterForm, options: Omit<JsonFormOptions, 'profile'> = {}): JsonObject {
    const requests = [];
    if (form === 'full') for (const { request, timestamp } of this.journal) requests.push({ ...request, timestamp });
    return imposterToJson(
      {
        creation: this.creation,
        port: this.port,
        numberOfRequests: this.numberOfRequests,
        enabled: this.enabled,
        metadata: this.metadata,
        requests,
        stubs: this.stubs,
        warnings: form === 'full' ? this.warnings : { kept: [] },
        custom: this.protocol.custom,
        shown: this.#shown,
        lineage: this.#lineage,
      },
      form,
      { ...options, profile: this.profile },
    );
  }

  /** What is probably a mistake in its stubs; looked for again after they changed, new ones go to the log. */
  get warnings(): Warnings {
    if (this.#warnings?.of !== this.#program) {
      const found = this.#analysis.of(this.stubs, this.#lineage);
      this.#logNew(found.kept, this.#warnings?.found.kept ?? []);
      this.#warnings = { of: this.#program, found };
    }
    return this.#warnings!.found;
  }

  #logNew(list: readonly Warning[], before: readonly Warning[]): void {
    if (list === before) return;
    // when stubs come at the end, most are the very same
    const same = sameAtFirst(list, before);
    if (same === list.length) return;
    // a stub without predicates at the end is how users of Mountebank write a default: not worth a line there
    const quiet = this.profile === 'mountebank';
    const fresh = list.slice(same).filter(({ warningType }) => !(quiet && warningType === 'catch_all'));
    if (fresh.length === 0) return;
    const known = new Set<string>();
    // messages name the stub: when nothing has gone, what has come is new
    if (same < before.length) for (const { message } of before) known.add(message);
    for (const { message } of fresh) if (!known.has(message)) this.logger.warn(message);
  }

  /** What its log lines begin with: protocol, port and, when it has one, name. */
  get scope(): string {
    const name = this.creation.name ? ` ${String(this.creation.name)}` : '';
    return `${this.creation.protocol}:${this.port}${name}`;
  }

  get #label(): string {
    return `[${this.scope}] `;
  }

  /** Made when it is first needed, because the label has the port that was bound. */
  get meter(): ImposterMeter {
    this.#meter ??= this.#settings.meters.of(this.#label);
    return this.#meter;
  }

  async start(): Promise<void> {
    await this.flow.open();
    try {
      if (this.#mayShare()) await this.#startOnThreads(this.#settings.threads!);
      else {
        this.#program.prepare();
        this.#learn(await this.protocol.listen(this));
      }
    } catch (error) {
      await this.flow.close();
      throw error;
    }
    this.#warnOfHttpOnly();
    if (!this.#settings.silentLife) this.logger.info('Open for business...');
  }

  /** Some protocols know only now what they show and how they encode. */
  #learn(listener: Listener): void {
    this.#listener = listener;
    if (listener.metadata !== undefined) this.metadata = listener.metadata;
    const { encoding = this.#predicateContext.encoding } = listener;
    if (encoding === this.#predicateContext.encoding) return;
    this.#predicateContext = { ...this.#predicateContext, encoding };
    this.replaceStubs(this.creation.stubs);
  }

  /** Frees the port and ends the imposter's connections and scripts. */
  async stop(): Promise<void> {
    await this.settled;
    await this.#listener?.close();
    for (const meter of this.#onThreads?.meters ?? []) this.#settings.meters.settle(this.#label, meter);
    this.#closing.abort();
    await this.scripts.close();
    await this.flow.close();
    if (!this.#settings.silentLife) this.logger.info('Ciao for now');
  }

  #warnOfHttpOnly(): void {
    const { name, custom } = this.protocol;
    if (!custom && (name === 'http' || name === 'https')) return;
    for (const key of httpOnlyAdditions(this.creation)) {
      this.logger.warn(`${key} has no effect on a ${name} imposter: only http and https know it`);
    }
  }

  #mayShare(): boolean {
    const { threads, restricted, recordAll } = this.#settings;
    if (this.#keeper?.choose !== undefined) return false;
    if (threads === undefined || restricted || recordAll || this.#debug || this.protocol.custom) return false;
    // a turn of responses that is kept is one for all requests
    if (this.#keeper !== undefined && this.stubs.some(({ ring }) => ring.length > 1)) return false;
    return isShareable(
      this.creation,
      this.stubs.map(({ json }) => json),
    );
  }

  async #startOnThreads(threads: DataThreads): Promise<void> {
    this.#onThreads = await threads.open(this);
    this.#listener = this.#onThreads;
    for (const meter of this.#onThreads.meters) this.#settings.meters.join(this.#label, meter);
  }

  /** Tells the keeper and the threads of a change; takes the imposter back when it can no longer be shared. */
  #changed(make: () => StubChange): void {
    this.#keeper?.changed(this);
    const onThreads = this.#onThreads;
    if (onThreads === undefined) return;
    const change = make();
    const tell = this.#mayShare() ? () => onThreads.change(change) : () => this.#takeBack(onThreads);
    this.settled = this.settled.then(tell, tell);
  }

  /** Serves on this thread what the data threads served. */
  async #takeBack(onThreads: SharedListener): Promise<void> {
    if (this.#onThreads !== onThreads) return;
    const { port } = onThreads;
    await onThreads.close();
    for (const meter of onThreads.meters) this.#settings.meters.settle(this.#label, meter);
    this.#handled[0] += onThreads.handled;
    this.#onThreads = undefined;
    this.creation.port = port;
    this.#listener = await this.protocol.listen(this);
  }

  allows(address: string): boolean {
    if (this.#settings.allows(address)) return true;
    this.meter.blocked++;
    this.logger.warn(
      `Blocking incoming connection from ${address}. Turn off --localOnly or add to --ipWhitelist to allow`,
    );
    return false;
  }

  logRequest(line: () => string): void {
    const level = this.#settings.requestLogLevel;
    if (this.logger.enabled(level)) this.logger[level](line());
  }

  count(): void {
    if (!this.enabled) throw disabled();
    this.#handled[0]++;
    this.meter.requests++;
  }

  handle(view: RequestView): Outcome | Promise<Outcome> {
    this.count();
    const entry = this.#recording ? this.#record(view) : undefined;
    if (asksForDebug(view)) return debugAnswer(this, view);
    return this.#keeper === undefined ? this.#match(view, entry) : this.#matchKept(view, entry, this.#keeper);
  }

  /** Answers when what the answer tells of is kept; a keeper that fails is logged, the client gets its answer. */
  async #matchKept(view: RequestView, entry: JournalEntry | undefined, keeper: ImposterKeeper): Promise<Outcome> {
    const outcome = await (keeper.choose === undefined ? this.#match(view, entry) : this.#matchChosen(view, keeper));
    try {
      await keeper.settled(this);
    } catch (error) {
      this.logger.error(error instanceof Error ? error.message : String(error));
    }
    return outcome;
  }

  /** As `#match` and `#serve`, with the stub that the keeper chooses. */
  async #matchChosen(view: RequestView, keeper: ImposterKeeper): Promise<Outcome> {
    const started = performance.now();
    const choice = await keeper.choose?.(this, (predicates) => this.#chosen.holds(predicates, view));
    const matched = performance.now();
    this.meter.matching.observe((matched - started) / 1000);
    if (choice === undefined) return this.#serve(view, undefined, started, matched);
    const entry = this.#chosen.entry(choice, this.stubs);
    const outcome = await entry.compiled.respond(view);
    this.meter.responding.observe((performance.now() - matched) / 1000);
    if (this.#debug) await choice.note(this.#matchOf(view, entry, outcome, performance.now() - started));
    return outcome;
  }

  #match(view: RequestView, entry: JournalEntry | undefined): Outcome | Promise<Outcome> {
    const started = performance.now();
    const program = this.#program;
    const stub = program.match(view, entry);
    if (stub instanceof Promise) {
      return stub.then((found) => {
        entry?.searched(program, found);
        return this.#respond(view, found, started);
      });
    }
    entry?.searched(program, stub);
    return this.#respond(view, stub, started);
  }

  #record(view: RequestView): JournalEntry {
    const entry = this.journal.add(view);
    this.#keeper?.recorded(this, entry);
    const { events } = this.#settings;
    if (events.heard) events.tell({ kind: 'request', imposter: this, entry });
    return entry;
  }

  #logChoice({ json }: Stub, { compiled, json: response }: RingEntry): void {
    const { predicates } = json;
    const none = !Array.isArray(predicates) || predicates.length === 0;
    this.logger.debug(`using predicate match: ${none ? '{}' : JSON.stringify(predicates)}`);
    this.logger.debug(`generating response from ${JSON.stringify(compiled.shown ?? response)}`);
  }

  #respond(view: RequestView, stub: Stub | undefined, started: number): Outcome | Promise<Outcome> {
    const matched = performance.now();
    this.meter.matching.observe((matched - started) / 1000);
    const moved = stub?.state?.move(view);
    return moved instanceof Promise
      ? moved.then(() => this.#serve(view, stub, started, matched))
      : this.#serve(view, stub, started, matched);
  }

  #serve(view: RequestView, stub: Stub | undefined, started: number, matched: number): Outcome | Promise<Outcome> {
    const { meter } = this;
    const entry = stub?.ring.next();
    if (stub === undefined || entry === undefined) {
      meter.noMatch++;
      if (this.logger.enabled('info')) this.logger.info('no predicate match, using default response');
      if (this.#forward !== undefined) return this.#forward(view);
      return this.#datedDefault === undefined ? this.#noMatch : { ...NO_MATCH, data: this.#datedDefault() };
    }
    if (this.#keeper !== undefined && stub.ring.length > 1) this.#keeper.turned(this, stub);
    if (this.logger.enabled('debug')) this.#logChoice(stub, entry);
    const outcome = entry.compiled.respond(view);
    return outcome instanceof Promise
      ? outcome.then((made) => this.#done(view, stub, entry, made, started, matched))
      : this.#done(view, stub, entry, outcome, started, matched);
  }

  #done(view: RequestView, stub: Stub, entry: RingEntry, outcome: Outcome, started: number, matched: number): Outcome {
    // what was made before the request came took no time, and asking a clock does
    const ready = outcome.kind === 'response' && outcome.slot !== undefined && !this.#debug;
    const now = ready ? matched : performance.now();
    this.meter.responding.observe((now - matched) / 1000);
    if (this.#debug) this.#noteMatch(view, stub, entry, outcome, now - started);
    return outcome;
  }

  #noteMatch(view: RequestView, stub: Stub, entry: RingEntry, outcome: Outcome, tookMs: number): void {
    const match = this.#matchOf(view, entry, outcome, tookMs);
    stub.addMatch(match);
    this.#keeper?.matched(this, stub, match);
  }

  #matchOf(view: RequestView, entry: RingEntry, outcome: Outcome, tookMs: number): MatchRecord {
    const response =
      outcome.kind === 'response'
        ? outcome.data
        : outcome.kind === 'fault'
          ? entry.json.fault
            ? entry.json
            : { fault: outcome.fault }
          : outcome.kind === 'delegated'
            ? { proxy: outcome.proxy }
            : { blocked: true };
    return {
      timestamp: new Date(Date.now() - tookMs).toISOString(),
      request: view.toJSON(),
      response,
      responseConfig: entry.compiled.shown ?? entry.json,
      processingTime: Math.round(tookMs),
    };
  }

  insertStub(at: number, json: StubJson): Stub {
    const stub = this.#compile(json);
    if (at < this.stubCount) this.#lineage = {};
    const stubs = this.stubs.toSpliced(at, 0, stub);
    this.#program = this.#program.insert(at, stub);
    this.#listed = { of: this.#program, stubs };
    passedChange();
    this.#changed(() => ({ kind: 'insert', at, stub: shared(stub) }));
    return stub;
  }

  /** `keepTurn`: the new stub goes on with the response after the one its predecessor served. */
  replaceStub(at: number, json: StubJson, keepTurn = false): Stub {
    const stub = this.#compile(json);
    if (keepTurn) stub.ring.position = this.stubs[at]!.ring.position;
    this.#program = this.#program.replace(at, stub);
    this.#lineage = {};
    this.#changed(() => ({ kind: 'replace', at, stub: shared(stub) }));
    return stub;
  }

  removeStub(at: number): void {
    this.#program = this.#program.remove(at);
    this.#lineage = {};
    this.#changed(() => ({ kind: 'remove', at }));
  }

  /** A new list of stubs. Those that are `Stub`s already go on as they are, wherever they stand now. */
  replaceStubs(stubs: readonly (Stub | StubJson)[]): void {
    this.#program = Program.of(stubs.map((stub) => (stub instanceof Stub ? stub : this.#compile(stub))));
    this.#program.prepare();
    this.#lineage = {};
    this.#changed(() => ({ kind: 'all', stubs: this.stubs.map(shared) }));
  }

  /** The stubs are these now, as the keeper has them: stubs that are known already, and new ones. */
  restock(stubs: readonly (Stub | StubJson)[]): void {
    this.#program = Program.of(stubs.map((stub) => (stub instanceof Stub ? stub : this.#compile(stub))));
    this.#program.prepare();
    this.#lineage = {};
  }

  /** Resolves when every change so far is kept, where imposters are kept; rejects with the reason why it cannot be. */
  async whenKept(): Promise<void> {
    await this.#keeper?.settled(this);
  }

  /** Takes recorded requests for which `test` holds out of the journal; the counter stays. */
  removeRequests(test: (entry: JournalEntry) => boolean): void {
    this.journal.remove(test);
    this.#keeper?.forgot(this);
  }

  /** Empties the journal and starts counting requests at 0. */
  clearRequests(): void {
    this.journal.clear();
    this.#handledAtReset = this.totalRequests;
    this.#keeper?.forgot(this);
  }

  /** Removes every response that a proxy recorded, then the stubs left without a response. Cursors start over. */
  clearProxyResponses(): void {
    const kept: StubJson[] = [];
    for (const { json } of this.stubs) {
      const responses = json.responses.filter((response) => !isRecorded(response));
      if (responses.length > 0) kept.push({ ...json, responses });
    }
    if (this.#keeper?.unrecorded === undefined) {
      this.replaceStubs(kept);
    } else {
      this.restock(kept);
      this.#keeper.unrecorded(this);
    }
  }

  #defaultForward(): ((view: RequestView) => Promise<ResponseOutcome>) | undefined {
    const { name, proxy } = this.protocol;
    const to = this.creation.defaultForward;
    const speaksHttp = name === 'http' || name === 'https';
    if (!to || !speaksHttp || proxy === undefined) return undefined;
    const { upstreams } = this.#settings.meters;
    const forward = defaultForward(String(to), upstreams.measured(proxy), this, this.#closing.signal);
    return (view) =>
      upstreams.answered(
        view,
        () => forward(view),
        () => 'none',
      );
  }

  #compile(json: StubJson): Stub {
    if (isPlainStub(json)) return new Stub(json, this.#making, true);
    this.flow.provideFor(json);
    const meant = meantAsResponses(json);
    if (meant !== undefined)
      this.logger.warn(`a stub has no responses but a key '${meant}' (did you mean 'responses'?)`);
    return new Stub(json, this.#making, false, StubState.of(json, this.flow));
  }

  readonly #making: StubMaking = {
    predicates: (json, state) => {
      const predicates = predicatesOf(json).map((predicate) => compilePredicate(predicate, this.#predicateContext));
      const last = this.flow.remote ? state?.lastPredicate : undefined;
      return last === undefined ? predicates : [...predicates, last];
    },
    response: (response, stub) =>
      compileResponse(plainResponse(response, stub.json, this.profile), stub, this.#responseContext),
    grown: () => {
      this.#lineage = {};
      this.#keeper?.changed(this);
    },
    matched: () => {
      this.#lineage = {};
    },
  };
}

/** How many of two lists are the same at their beginning. */
function sameAtFirst<T>(list: readonly T[], other: readonly T[]): number {
  let same = 0;
  while (same < list.length && list[same] === other[same]) same++;
  return same;
}

function isRecorded(response: ResponseJson): boolean {
  const { is } = response;
  return typeof is === 'object' && is !== null && !Array.isArray(is) && typeof is._proxyResponseTime === 'number';
}

function disabled(): RiftError {
  const answer = { status: 503, riftOnly: true, markers: ['imposter-disabled'] } as const;
  return new RiftError('imposter disabled', 'Imposter is disabled', {}, answer);
}
