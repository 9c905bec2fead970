// Runs a script of `_rift.script`. A Rhai script is first run right here, for a few thousand operations, which is enough for
// nearly all of them and takes less time than a message to another thread. When it needs more, or has to wait for
// the store, it is run again with the replies it already got: nothing but its calls can tell one run from another.

import { noStore } from '../../state/no-store.js';
import type { FlowStore } from '../../state/types.js';
import type { Program } from '../rhai/ast.js';
import { RhaiInterrupted } from '../rhai/errors.js';
import { parseRhai } from '../rhai/parser.js';
import type { LogLine, ScriptResult } from './decision.js';
import { type DecorateInput, type DecorateResult, decorateRhai } from './rhai-decorate.js';
import { runRhai } from './rhai-script.js';
import type { ScriptContext } from './script-context.js';
import { runInThread } from './script-threads.js';
import { perform, type StoreCall, type StoreReply } from './store-call.js';

interface ScriptRun {
  readonly context: ScriptContext;
  readonly store: FlowStore;
  log(line: LogLine): void;
  readonly timeoutMs: number;
}

export type Script = (run: ScriptRun) => ScriptResult | Promise<ScriptResult>;

/** Thousands of operations that a script may run on the thread of the requests: about a millisecond. */
const ticksHere = 8;
/** Runs of a script on this thread that wait for the store, each from the start; then a thread takes over. */
const mostRuns = 16;

/** Throws RhaiSyntaxError for a text that is no Rhai. */
export function compileScript(engine: 'rhai' | 'javascript', code: string): Script {
  if (engine === 'rhai') {
    const program = parseRhai(code);
    return (run) => runHere(program, code, run, []);
  }
  return ({ context, store, log, timeoutMs }) =>
    runInThread(
      { hook: 'respond', engine, code, context, timeoutMs, replies: [] },
      store,
      log,
    ) as Promise<ScriptResult>;
}

/** The script has to wait for a reply. */
class Waiting extends RhaiInterrupted {
  constructor(readonly reply: Promise<StoreReply>) {
    super();
  }
}

function budget(): () => void {
  let ticks = 0;
  return () => {
    if (++ticks >= ticksHere) throw new RhaiInterrupted();
  };
}

function runHere(
  program: Program,
  code: string,
  run: ScriptRun,
  replies: StoreReply[],
  runs = 1,
): ScriptResult | Promise<ScriptResult> {
  const lines: LogLine[] = [];
  let calls = 0;
  const access = (call: StoreCall): StoreReply => {
    const known = replies[calls++];
    if (known !== undefined) return known;
    const reply = perform(run.store, call);
    if (reply instanceof Promise) throw new Waiting(reply);
    replies.push(reply);
    return reply;
  };
  const { context, store, timeoutMs } = run;
  try {
    const result = runRhai(program, { context, access, log: (line) => lines.push(line), tick: budget() });
    for (const line of lines) run.log(line);
    return result;
  } catch (error) {
    const elsewhere = () =>
      runInThread(
        { hook: 'respond', engine: 'rhai', code, context, timeoutMs, replies },
        store,
        run.log,
      ) as Promise<ScriptResult>;
    if (error instanceof Waiting) {
      return error.reply.then((reply) => {
        replies.push(reply);
        return runs < mostRuns ? runHere(program, code, run, replies, runs + 1) : elsewhere();
      });
    }
    if (error instanceof RhaiInterrupted) return elsewhere();
    throw error;
  }
}

type Decorate = (
  input: DecorateInput,
  timeoutMs: number,
  log: (line: LogLine) => void,
) => DecorateResult | Promise<DecorateResult>;

/** A `decorate` in Rhai, which has no state. Throws RhaiSyntaxError for a text that is no Rhai. */
export function compileRhaiDecorate(code: string): Decorate {
  const program = parseRhai(code);
  return (input, timeoutMs, log) => {
    const lines: string[] = [];
    try {
      const result = decorateRhai(program, input, budget(), (text) => lines.push(text));
      for (const text of lines) log({ level: 'info', text });
      return result;
    } catch (error) {
      if (!(error instanceof RhaiInterrupted)) throw error;
      return runInThread({ hook: 'decorate', code, input, timeoutMs }, noStore, log) as Promise<DecorateResult>;
    }
  };
}
