// What is probably a mistake in the stubs of an imposter (docs/warnings.md): shown as `_rift.warnings`.
// Linear in the number of predicates, but for the overlap of pairs, which is looked at up to 200 stubs. Stubs that are
// added at the end are looked at without looking at the others again.

import { predicateFindings } from '../matching/findings.js';
import { isPlainPredicate } from '../model/plain-stub.js';
import type { Warning, Warnings } from '../model/read-options.js';
import { predicatesOf } from '../model/stub-plan.js';
import type { ImposterJson, PredicateJson, StubJson } from '../model/types.js';
import { addUnknownKeys, unknownImposterKeys } from '../model/unknown-keys.js';
import { passedStub } from '../young-garbage.js';
import { competes, FirstByGates, FirstCompetitors, type Gates, gatesOf } from './competition.js';
import { coversAny, overlaps, type StubTexts, textsOf } from './overlap.js';

const mostWarnings = 100;
const mostStubsForOverlap = 200;

/** Warnings of one kind: the first hundred, and how many there are. */
class Counted {
  readonly kept: Warning[] = [];
  count = 0;

  /** Counts one more: whether it is among those to be kept. */
  keeps(): boolean {
    this.count += 1;
    return this.count <= mostWarnings;
  }
}

export class StubWarnings {
  readonly #creation: ImposterJson;
  #pass = new Pass(true);
  #lineage: object | undefined;
  /** What `#collected` kept the last time, and of what. */
  #full: { readonly pass: Pass; readonly sizes: readonly number[]; readonly kept: readonly Warning[] } | undefined;

  /** `creation`: the imposter's creation request, for what is wrong with the imposter itself. */
  constructor(creation: ImposterJson) {
    this.#creation = creation;
  }

  /**
   * The warnings of these stubs. `lineage`: the same object as the last time when stubs were only added at the end
   * since then; without, that is found out.
   */
  of(stubs: readonly { readonly json: StubJson }[], lineage?: object): Warnings {
    const overlap = stubs.length <= mostStubsForOverlap;
    const grew = lineage !== undefined && lineage === this.#lineage && this.#pass.length <= stubs.length;
    this.#lineage = lineage;
    if (overlap !== this.#pass.overlap || !(grew || this.#pass.isBeginOf(stubs))) this.#pass = new Pass(overlap);
    for (let index = this.#pass.length; index < stubs.length; index++) {
      this.#pass.take(stubs[index]!.json);
      passedStub(index);
    }
    return this.#collected(stubs.length);
  }

  #collected(count: number): Warnings {
    const { unknownKeys, ignoredOperators, invalidPatterns, ofStubs, firstCatchAll } = this.#pass;
    const imposterKeys = unknownImposterKeys(this.#creation);
    const own = imposterWarnings(this.#creation);
    const last: Warning[] = [];
    if (firstCatchAll !== undefined && firstCatchAll.position < count - 1) {
      const { position, id } = firstCatchAll;
      last.push({
        warningType: 'catch_all_not_last',
        message: `Catch-all stub at index ${position} will shadow ${count - 1 - position} stub(s) after it`,
        stubIndex: position,
        ...idOf(id),
      });
    }
    const counted = [unknownKeys, ignoredOperators, invalidPatterns, ofStubs];
    const all =
      imposterKeys.length + own.length + last.length + counted.reduce((sum, { count: each }) => sum + each, 0);
    const lists = [imposterKeys, unknownKeys.kept, ignoredOperators.kept, invalidPatterns.kept, own, ofStubs.kept];
    const kept = this.#first(lists, last);
    if (all <= mostWarnings) return { kept };
    const message = `${all - mostWarnings} additional stub warning(s) suppressed (showing first ${mostWarnings})`;
    return { kept, others: { warningType: 'truncated', message } };
  }

  /** The first hundred: the very same list as before when lists that only grow have filled it and did not grow. */
  #first(lists: readonly (readonly Warning[])[], last: readonly Warning[]): readonly Warning[] {
    const pass = this.#pass;
    if (this.#full?.pass === pass && lists.every(({ length }, at) => length === this.#full?.sizes[at]))
      return this.#full.kept;
    const growing = lists.flat();
    const kept = [...growing, ...last].slice(0, mostWarnings);
    this.#full = growing.length < mostWarnings ? undefined : { pass, sizes: lists.map(({ length }) => length), kept };
    return kept;
  }
}

function imposterWarnings({ protocol, mutualAuth, rejectUnauthorized }: ImposterJson): Warning[] {
  if (protocol !== 'https' || !mutualAuth || rejectUnauthorized) return [];
  const message = 'mutualAuth without rejectUnauthorized requests a client certificate but enforces nothing';
  return [{ warningType: 'mutual_auth_not_enforced', message }];
}

function idOf(id: string | undefined): { stubId?: string } {
  return id === undefined ? {} : { stubId: id };
}

/** What the overlap of pairs needs of a stub. */
interface Contender {
  readonly position: number;
  readonly gates: Gates;
  readonly texts: StubTexts;
}

/** One way through the stubs in their order. */
class Pass {
  readonly unknownKeys = new Counted();
  readonly ignoredOperators = new Counted();
  readonly invalidPatterns = new Counted();
  readonly ofStubs = new Counted();
  firstCatchAll: { readonly position: number; readonly id: string | undefined } | undefined;
  readonly #stubs: StubJson[] = [];
  readonly #ids = new Map<string, number>();
  readonly #sets = new FirstCompetitors((position) => this.#stubs[position]!);
  readonly #catchAlls = new FirstByGates();
  /** Those that can overlap a later one. */
  readonly #earlier: Contender[] = [];

  constructor(readonly overlap: boolean) {}

  /** Stubs that were taken. */
  get length(): number {
    return this.#stubs.length;
  }

  /** Whether a list begins with the stubs that were taken. */
  isBeginOf(stubs: readonly { readonly json: StubJson }[]): boolean {
    const taken = this.#stubs;
    if (taken.length > stubs.length) return false;
    for (let index = 0; index < taken.length; index++) if (taken[index] !== stubs[index]!.json) return false;
    return true;
  }

  /** Looks at the next stub. */
  take(stub: StubJson): void {
    const index = this.#stubs.push(stub) - 1;
    const id = typeof stub.id === 'string' ? stub.id : undefined;
    const gates = gatesOf(stub);
    const predicates = predicatesOf(stub);
    const isCatchAll = predicates.length === 0;
    this.#takeKeys(stub, index);
    this.#takePredicates(predicates, id, index);
    if (id !== undefined) this.#takeId(id, index);
    if (isCatchAll && this.ofStubs.keeps()) {
      const message = `Stub at index ${index} has empty predicates and will match ALL requests`;
      this.ofStubs.kept.push({ warningType: 'catch_all', message, stubIndex: index, ...idOf(id) });
    }
    const twin = this.#sets.take(stub, gates, index);
    if (twin !== undefined && this.ofStubs.keeps()) {
      const message = `Stub at index ${index} has identical predicates to stub at index ${twin} and will never match`;
      this.#shadowed('exact_duplicate', message, id, index, twin);
    }
    if (isCatchAll) this.#takeCatchAll(gates, id, index);
    else this.#takeShadow(gates, id, index);
    if (this.overlap) this.#takeOverlaps(predicates, gates, id, index);
  }

  #takeKeys(stub: StubJson, index: number): void {
    const found: Warning[] = [];
    addUnknownKeys(stub, index, found);
    for (const warning of found) if (this.unknownKeys.keeps()) this.unknownKeys.kept.push(warning);
  }

  #takePredicates(predicates: readonly PredicateJson[], id: string | undefined, index: number): void {
    // nothing is ever found in them, and they are most
    if (predicates.every(isPlainPredicate)) return;
    for (const { kind, path, text } of predicateFindings(predicates)) {
      if (kind === 'ignored_operator' && this.ignoredOperators.keeps()) {
        const message = `Stub at index ${index} has an operator '${text}' at ${path} that is ignored: only the first operator of a predicate counts`;
        this.ignoredOperators.kept.push({ warningType: kind, message, stubIndex: index, ...idOf(id) });
      } else if (kind === 'invalid_regex' && this.invalidPatterns.keeps()) {
        const message = `Stub at index ${index} has an invalid regular expression '${text}' that is reached only by some requests`;
        this.invalidPatterns.kept.push({ warningType: kind, message, stubIndex: index, ...idOf(id) });
      }
    }
  }

  #takeId(id: string, index: number): void {
    const first = this.#ids.get(id);
    if (first === undefined) this.#ids.set(id, index);
    else if (this.ofStubs.keeps()) {
      const message = `Stub at index ${index} has duplicate ID '${id}' (same as stub at index ${first})`;
      this.#shadowed('duplicate_id', message, id, index, first);
    }
  }

  #takeCatchAll(gates: Gates, id: string | undefined, index: number): void {
    this.firstCatchAll ??= { position: index, id };
    this.#catchAlls.add('', gates, index);
  }

  #takeShadow(gates: Gates, id: string | undefined, index: number): void {
    const catchAll = this.#catchAlls.find('', gates);
    if (catchAll === undefined || !this.ofStubs.keeps()) return;
    const message = `Stub at index ${index} may be shadowed by catch-all stub at index ${catchAll}`;
    this.#shadowed('potentially_shadowed', message, id, index, catchAll);
  }

  #takeOverlaps(predicates: readonly PredicateJson[], gates: Gates, id: string | undefined, index: number): void {
    const texts = textsOf(predicates);
    for (const earlier of this.#earlier) {
      if (!competes(earlier.gates, gates) || !overlaps(texts, earlier.texts) || !this.ofStubs.keeps()) continue;
      const { position } = earlier;
      const message = `Stub at index ${index} may be partially shadowed by stub at index ${position} which has overlapping predicates`;
      this.#shadowed('potentially_shadowed', message, id, index, position);
    }
    if (coversAny(texts)) this.#earlier.push({ position: index, gates, texts });
  }

  #shadowed(warningType: string, message: string, id: string | undefined, index: number, by: number): void {
    this.ofStubs.kept.push({ warningType, message, stubIndex: index, ...idOf(id), shadowedByIndex: by });
  }
}
