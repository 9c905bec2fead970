// What a proxy remembers of its upstream: which stub an answer becomes and where that stub stands.
// Mountebank docs: proxies (modes); at most one stub for one list of predicates, which Mountebank promises and breaks
// under concurrency.

import { canonicalText } from '../../matching/canonical.js';
import type { JsonObject, PredicateJson, ResponseData, ResponseJson, StubJson } from '../../model/types.js';
import type { Stub } from '../../selection/stub.js';

/** The stub list of an imposter, as far as recording changes it. */
export interface RecordingTarget {
  readonly stubs: Iterable<Stub>;
  readonly stubCount: number;
  insertStub(at: number, stub: StubJson): Stub;
}

export type ProxyMode = 'proxyOnce' | 'proxyAlways' | 'proxyTransparent';

/** Unknown modes, and none, count as `proxyOnce`. */
export function modeOf(proxy: JsonObject): ProxyMode {
  return proxy.mode === 'proxyAlways' || proxy.mode === 'proxyTransparent' ? proxy.mode : 'proxyOnce';
}

/** The response that replays an answer: `is` as it was after the proxy's own behaviors, then the behaviors it adds. */
export function recordedResponse(proxy: JsonObject, is: ResponseData): ResponseJson {
  const behaviors: JsonObject[] = [];
  const time = is._proxyResponseTime;
  if (proxy.addWaitBehavior && typeof time === 'number' && time > 0) behaviors.push({ wait: time });
  if (proxy.addDecorateBehavior) behaviors.push({ decorate: proxy.addDecorateBehavior });
  return (behaviors.length > 0 ? { is, behaviors } : { is }) as ResponseJson;
}

/** Records for one proxy response; `proxyStub` is the stub that holds it. */
export class Recorder {
  readonly #target: RecordingTarget;
  readonly #proxyStub: Stub;
  /** Upstream to note in recorded stubs; undefined in profile `mountebank`, which has no such key. */
  readonly #from: string | undefined;
  /** By canonical text of the predicates: the stub that holds their recording. */
  readonly #recorded = new Map<string, Stub>();

  constructor(target: RecordingTarget, proxyStub: Stub, from: string | undefined) {
    this.#target = target;
    this.#proxyStub = proxyStub;
    this.#from = from;
  }

  /** The stub recorded for these predicates, if there is one. `key` is their canonical text. */
  recorded(key: string): Stub | undefined {
    return this.#recorded.get(key);
  }

  /** `proxyOnce`: a stub directly before the proxy's; nothing when there is one already or the proxy's stub has gone. */
  recordOnce(key: string, predicates: PredicateJson[], response: ResponseJson): void {
    const known = this.#recorded.get(key);
    if (known !== undefined && this.#positionOf(known) !== undefined) return;
    const at = this.#positionOf(this.#proxyStub);
    if (at === undefined) return;
    this.#recorded.set(key, this.#target.insertStub(at, this.#stub(predicates, response)));
  }

  /** `proxyAlways`: into the first stub behind the proxy's with the same predicates, else as a new stub at the end. */
  recordAlways(key: string, predicates: PredicateJson[], response: ResponseJson): void {
    let behind = false;
    for (const stub of this.#target.stubs) {
      if (behind && predicatesKey(stub) === key) {
        stub.addResponse(response);
        return;
      }
      behind ||= stub === this.#proxyStub;
    }
    if (behind) this.#target.insertStub(this.#target.stubCount, this.#stub(predicates, response));
  }

  #stub(predicates: PredicateJson[], response: ResponseJson): StubJson {
    const stub: StubJson = { predicates, responses: [response] };
    if (this.#from !== undefined) stub.recordedFrom = this.#from;
    return stub;
  }

  #positionOf(stub: Stub): number | undefined {
    let at = 0;
    for (const other of this.#target.stubs) {
      if (other === stub) return at;
      at++;
    }
    return undefined;
  }
}

const keys = new WeakMap<Stub, string>();

/** Canonical text of a stub's predicates: equal exactly when they are deep-equal, whatever the order of keys. */
function predicatesKey(stub: Stub): string {
  let key = keys.get(stub);
  if (key === undefined) {
    key = canonicalText(stub.json.predicates ?? []);
    keys.set(stub, key);
  }
  return key;
}
