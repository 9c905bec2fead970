// What is probably a mistake in the stubs of an imposter (docs/warnings.md): shown as `_rift.warnings`.
// Linear in the number of predicates, but for the overlap of pairs, which is looked at up to 200 stubs. Stubs that are
// added at the end are looked at without looking at the others again.

import { predicateFindings } from '../matching/findings.js';
import type { Warning } from '../model/read-options.js';
import { predicatesOf } from '../model/stub-plan.js';
import type { ImposterJson, StubJson } from '../model/types.js';
import { unknownKeyWarnings } from '../model/unknown-keys.js';
import { type Contender, competes, contender, FirstCompetitors } from './competition.js';
import { overlaps } from './overlap.js';

const mostWarnings = 100;
const mostStubsForOverlap = 200;

/** Warnings of one kind: the first hundred, and how many there are. */
class Counted {
  readonly kept: Warning[] = [];
  count = 0;

  add(warning: Warning): void {
    this.count += 1;
    if (this.count <= mostWarnings) this.kept.push(warning);
  }
}

export class StubWarnings {
  readonly #creation: ImposterJson;
  #analysed: StubJson[] = [];
  #pass = new Pass(true);

  /** `creation`: the imposter's creation request, for what is wrong with the imposter itself. */
  constructor(creation: ImposterJson) {
    this.#creation = creation;
  }

  /** The warnings of these stubs; at most 100 and one that counts the others. */
  of(stubs: readonly StubJson[]): Warning[] {
    const overlap = stubs.length <= mostStubsForOverlap;
    const known = this.#analysed;
    const grown = known.length <= stubs.length && known.every((stub, index) => stub === stubs[index]);
    if (!grown || overlap !== this.#pass.overlap) {
      this.#analysed = [];
      this.#pass = new Pass(overlap);
    }
    for (let index = this.#analysed.length; index < stubs.length; index += 1) {
      this.#pass.take(stubs[index]!, index);
      this.#analysed.push(stubs[index]!);
    }
    return this.#collected(stubs.length);
  }

  #collected(count: number): Warning[] {
    const { unknownKeys, ignoredOperators, invalidPatterns, ofStubs, firstCatchAll } = this.#pass;
    const imposterKeys = unknownKeyWarnings(this.#creation, []);
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
    const kept = [
      ...imposterKeys,
      ...unknownKeys.kept,
      ...ignoredOperators.kept,
      ...invalidPatterns.kept,
      ...own,
      ...ofStubs.kept,
      ...last,
    ].slice(0, mostWarnings);
    if (all > kept.length) {
      const message = `${all - kept.length} additional stub warning(s) suppressed (showing first ${mostWarnings})`;
      kept.push({ warningType: 'truncated', message });
    }
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

/** One way through the stubs in their order. */
class Pass {
  readonly unknownKeys = new Counted();
  readonly ignoredOperators = new Counted();
  readonly invalidPatterns = new Counted();
  readonly ofStubs = new Counted();
  firstCatchAll: { readonly position: number; readonly id: string | undefined } | undefined;
  readonly #ids = new Map<string, number>();
  readonly #sets = new FirstCompetitors();
  readonly #catchAlls = new FirstCompetitors();
  readonly #earlier: Contender[] = [];

  constructor(readonly overlap: boolean) {}

  take(stub: StubJson, index: number): void {
    const self = contender(stub);
    for (const warning of unknownKeyWarnings({}, [stub], index)) this.unknownKeys.add(warning);
    this.#takePredicates(stub, self, index);
    this.#takeId(self, index);
    if (self.isCatchAll) {
      const message = `Stub at index ${index} has empty predicates and will match ALL requests`;
      this.ofStubs.add({ warningType: 'catch_all', message, stubIndex: index, ...idOf(self.id) });
    }
    this.#takeDuplicate(self, index);
    if (!self.isCatchAll) this.#takeShadow(self, index);
    this.#remember(self, index);
  }

  #takePredicates(stub: StubJson, self: Contender, index: number): void {
    for (const { kind, path, text } of predicateFindings(predicatesOf(stub))) {
      if (kind === 'ignored_operator') {
        const message = `Stub at index ${index} has an operator '${text}' at ${path} that is ignored: only the first operator of a predicate counts`;
        this.ignoredOperators.add({ warningType: kind, message, stubIndex: index, ...idOf(self.id) });
      } else if (kind === 'invalid_regex') {
        const message = `Stub at index ${index} has an invalid regular expression '${text}' that is reached only by some requests`;
        this.invalidPatterns.add({ warningType: kind, message, stubIndex: index, ...idOf(self.id) });
      }
    }
  }

  #takeId({ id }: Contender, index: number): void {
    if (id === undefined) return;
    const first = this.#ids.get(id);
    if (first === undefined) this.#ids.set(id, index);
    else {
      const message = `Stub at index ${index} has duplicate ID '${id}' (same as stub at index ${first})`;
      this.#shadowed('duplicate_id', message, id, index, first);
    }
  }

  #takeDuplicate(self: Contender, index: number): void {
    const first = this.#sets.first(self.predicateSet, self);
    if (first === undefined) return;
    const message = `Stub at index ${index} has identical predicates to stub at index ${first} and will never match`;
    this.#shadowed('exact_duplicate', message, self.id, index, first);
  }

  #takeShadow(self: Contender, index: number): void {
    const catchAll = this.#catchAlls.first('', self);
    if (catchAll !== undefined) {
      const message = `Stub at index ${index} may be shadowed by catch-all stub at index ${catchAll}`;
      this.#shadowed('potentially_shadowed', message, self.id, index, catchAll);
    }
    if (!this.overlap) return;
    for (const [position, earlier] of this.#earlier.entries()) {
      if (!competes(earlier, self) || !overlaps(self.texts, earlier.texts)) continue;
      const message = `Stub at index ${index} may be partially shadowed by stub at index ${position} which has overlapping predicates`;
      this.#shadowed('potentially_shadowed', message, self.id, index, position);
    }
  }

  #shadowed(warningType: string, message: string, id: string | undefined, index: number, by: number): void {
    this.ofStubs.add({ warningType, message, stubIndex: index, ...idOf(id), shadowedByIndex: by });
  }

  #remember(self: Contender, index: number): void {
    this.#sets.add(self.predicateSet, self, index);
    if (self.isCatchAll) {
      this.#catchAlls.add('', self, index);
      this.firstCatchAll ??= { position: index, id: self.id };
    }
    if (this.overlap) this.#earlier.push(self);
  }
}
