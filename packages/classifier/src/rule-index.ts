// An ordered rule list with an index over it. Lists are immutable; an edit gives a new one that shares nearly everything.
// The list is kept in segments of geometric sizes, merged as they grow (a log-structured merge, O'Neil et al. 1996), so
// that adding rules one by one rebuilds each only a logarithmic number of times. Order is kept apart from segments: every
// rule has a label, a number between those of its neighbours, so that an insertion anywhere is an insertion into the
// smallest segment. Several segments cost a search more than one; lists that are searched a lot are merged into one.
import { FEW } from './access-tree.js';
import { Segment, View } from './segment.js';
import type { SegmentSearch } from './segment-index.js';
import { Tombstones } from './tombstones.js';
import type { Access, Classifier, ConditionOf, Search } from './types.js';

/** A segment is merged into the next larger one that is less than this many times as large. */
const GROWTH = 4;
/** The distance of labels when there is room. */
const GAP = 2 ** 20;
/** Segments that searches entered besides the first, for each rule, before all are merged for them. */
const PATIENCE = 4;
/** Larger lists are not merged for searches alone: that would halt everything else for too long. */
const LARGEST_MERGE = 20_000;

/** What a search through all candidates of an input did. */
export interface SearchStatistics {
  readonly candidates: number;
  /** Clauses that the index looked at. */
  readonly clauses: number;
  /** Sources (a key's values, literals or patterns, a family) that it read. */
  readonly sources: number;
  readonly segments: number;
}

interface Shared<Input, Rule> {
  readonly conditionOf: ConditionOf<Rule>;
  readonly access: Access<Input>;
  readonly idle: ListSearch<Input, Rule>[];
}

function labelsFrom(first: number, count: number): Float64Array {
  const labels = new Float64Array(count);
  for (let at = 0; at < count; at++) labels[at] = first + at * GAP;
  return labels;
}

/** One view of the rules that are alive in several. */
function merged<Input, Rule>(views: readonly View<Input, Rule>[]): View<Input, Rule> {
  if (views.length === 2) {
    const [one, other] = views;
    if (stands(one, other)) return joined(one, other);
    if (stands(other, one)) return joined(other, one);
  }
  let count = 0;
  for (const view of views) count += view.alive;
  const rules = new Array<Rule>(count);
  const labels = new Float64Array(count);
  let at = 0;
  eachInOrder(views, (view, local) => {
    rules[at] = view.segment.rules[local];
    labels[at++] = view.labels[local];
  });
  return new View(new Segment<Input, Rule>(rules), labels);
}

/** Whether all rules of a view are alive and stand before all of another: so do those to which one is added at the end. */
function stands<Input, Rule>(one: View<Input, Rule>, before: View<Input, Rule>): boolean {
  return one.dead === undefined && before.dead === undefined && one.labels[one.labels.length - 1] < before.labels[0];
}

function joined<Input, Rule>(one: View<Input, Rule>, next: View<Input, Rule>): View<Input, Rule> {
  const labels = new Float64Array(one.labels.length + next.labels.length);
  labels.set(one.labels);
  labels.set(next.labels, one.labels.length);
  return new View(new Segment<Input, Rule>(one.segment.rules.concat(next.segment.rules)), labels);
}

/** Visits the living rules of views by ascending label. */
function eachInOrder<Input, Rule>(
  views: readonly View<Input, Rule>[],
  visit: (view: View<Input, Rule>, local: number) => void,
): void {
  const locals = new Int32Array(views.length);
  for (;;) {
    let least = -1;
    for (let number = 0; number < views.length; number++) {
      const view = views[number];
      while (locals[number] < view.labels.length && !view.isAlive(locals[number])) locals[number]++;
      if (locals[number] === view.labels.length) continue;
      if (least < 0 || view.labels[locals[number]] < views[least].labels[locals[least]]) least = number;
    }
    if (least < 0) return;
    visit(views[least], locals[least]++);
  }
}

export class RuleIndex<Input, Rule> implements Classifier<Input, Rule> {
  readonly length: number;
  readonly #shared: Shared<Input, Rule>;
  /** By ascending first label. */
  #views: readonly View<Input, Rule>[];
  /** Segments that searches entered besides the first. */
  #detours: number;

  private constructor(shared: Shared<Input, Rule>, views: readonly View<Input, Rule>[], detours: number) {
    this.#shared = shared;
    this.#views = views.length > 1 ? views.toSorted((a, b) => a.labels[0] - b.labels[0]) : views;
    this.#detours = detours;
    let length = 0;
    for (const view of views) length += view.alive;
    this.length = length;
  }

  /** Makes a list. Nothing is indexed before the first search, and a handful of rules never is. */
  static build<Input, Rule>(
    rules: Iterable<Rule>,
    conditionOf: ConditionOf<Rule>,
    access: Access<Input>,
  ): RuleIndex<Input, Rule> {
    const all = [...rules];
    const views = all.length === 0 ? [] : [new View(new Segment<Input, Rule>(all), labelsFrom(0, all.length))];
    return new RuleIndex({ conditionOf, access, idle: [] }, views, 0);
  }

  /**
   * Makes the index now instead of at the first search: some five seconds for a million rules. `read` is told how many
   * rules of a segment came before the one that was just read. Returns the list.
   */
  prepare(read?: (rule: number) => void): this {
    const { conditionOf, access } = this.#shared;
    for (const { segment } of this.#views) segment.index(conditionOf, access, read);
    return this;
  }

  at(position: number): Rule {
    const { view, local } = this.#locate(position);
    return view.segment.rules[local];
  }

  *[Symbol.iterator](): Iterator<Rule> {
    if (this.#views.length === 0) return;
    const { segment } =
      this.#views.length === 1 && this.#views[0].dead === undefined ? this.#views[0] : merged(this.#views);
    yield* segment.rules;
  }

  /** A list with `rule` standing at position `at` (0..length), those from there on one further. */
  insert(at: number, rule: Rule): RuleIndex<Input, Rule> {
    if (!Number.isInteger(at) || at < 0 || at > this.length)
      throw new RangeError(`no place at ${at} in a list of ${this.length} rules`);
    const before = at === 0 ? undefined : at === this.length ? this.#lastLabel() : this.#label(at - 1);
    const after = at === this.length ? undefined : this.#label(at);
    let label: number;
    if (before === undefined) label = after === undefined ? 0 : after - GAP;
    else if (after === undefined) label = before + GAP;
    else label = before + (after - before) / 2;
    if (label === before || label === after) return this.#relabelled().insert(at, rule);
    return this.#with(label, rule, this.#views);
  }

  /** A list without the rule at a position. */
  remove(at: number): RuleIndex<Input, Rule> {
    return new RuleIndex(this.#shared, this.#without(at), this.#detours);
  }

  /** A list with another rule at a position. */
  replace(at: number, rule: Rule): RuleIndex<Input, Rule> {
    return this.#with(this.#label(at), rule, this.#without(at));
  }

  search(input: Input): Search<Rule> {
    return this.#open(input);
  }

  first(input: Input, accept: (rule: Rule, input: Input) => boolean): Rule | undefined {
    if (this.#views.length === 1) return this.#firstOfOne(this.#views[0], input, accept);
    const search = this.#open(input);
    try {
      for (let rule = search.next(); rule !== undefined; rule = search.next()) {
        if (accept(rule, input)) return rule;
      }
      return undefined;
    } finally {
      search.close();
    }
  }

  /** As `first` where there is nothing to merge. */
  #firstOfOne(
    { segment, dead }: View<Input, Rule>,
    input: Input,
    accept: (rule: Rule, input: Input) => boolean,
  ): Rule | undefined {
    const { rules } = segment;
    const index = segment.index(this.#shared.conditionOf, this.#shared.access);
    if (index === undefined) {
      for (let local = 0; local < rules.length; local++) {
        if ((dead === undefined || !dead.has(local)) && accept(rules[local], input)) return rules[local];
      }
      return undefined;
    }
    const search = index.open(input);
    try {
      for (let local = search.next(); local >= 0; local = search.next()) {
        if ((dead === undefined || !dead.has(local)) && accept(rules[local], input)) return rules[local];
      }
      return undefined;
    } finally {
      search.close();
    }
  }

  /** Goes through all candidates of an input and tells what that took. For tests and diagnosis. */
  inspect(input: Input): SearchStatistics {
    const search = this.#open(input);
    let candidates = 0;
    while (search.advance()) candidates++;
    const statistics = { candidates, ...search.work() };
    search.close();
    return statistics;
  }

  #open(input: Input): ListSearch<Input, Rule> {
    if (this.#views.length > 1 && this.length <= LARGEST_MERGE && this.#detours > PATIENCE * this.length) {
      this.#views = [merged(this.#views)];
      this.#detours = 0;
    }
    const search = this.#shared.idle.pop() ?? new ListSearch(this.#shared);
    search.begin(input, this.#views, this.#noteDetours);
    return search;
  }

  readonly #noteDetours = (segments: number): void => {
    this.#detours += segments;
  };

  #label(position: number): number {
    const { view, local } = this.#locate(position);
    return view.labels[local];
  }

  /** No label is higher, not even that of a rule which is gone. */
  #lastLabel(): number {
    let last = Number.NEGATIVE_INFINITY;
    for (const { labels } of this.#views) last = Math.max(last, labels[labels.length - 1]);
    return last;
  }

  #locate(position: number): { view: View<Input, Rule>; local: number } {
    if (!Number.isInteger(position) || position < 0 || position >= this.length) {
      throw new RangeError(`no rule at ${position} in a list of ${this.length} rules`);
    }
    const rankOf = (label: number): number => {
      let rank = 0;
      for (const view of this.#views) rank += view.aliveBefore(view.from(label));
      return rank;
    };
    for (const view of this.#views) {
      // the last rule of the segment that has no more than `position` living rules before it
      let low = 0;
      let high = view.labels.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (rankOf(view.labels[middle]) <= position) low = middle;
        else high = middle - 1;
      }
      if (view.isAlive(low) && rankOf(view.labels[low]) === position) return { view, local: low };
    }
    throw new RangeError(`no rule at ${position}`);
  }

  #without(position: number): View<Input, Rule>[] {
    const { view, local } = this.#locate(position);
    const others = this.#views.filter((other) => other !== view);
    if (view.alive === 1) return others;
    const dead = (view.dead ?? Tombstones.none(view.labels.length)).with(local);
    const left = new View(view.segment, view.labels, dead);
    return [...others, dead.count * 2 > view.labels.length || left.alive <= FEW ? merged([left]) : left];
  }

  #with(label: number, rule: Rule, given: readonly View<Input, Rule>[]): RuleIndex<Input, Rule> {
    const added = new View(new Segment<Input, Rule>([rule]), Float64Array.of(label));
    const views = [...given].sort((a, b) => a.alive - b.alive);
    if (views.length > 0 && views[0].alive < FEW) views[0] = merged([views[0], added]);
    else views.unshift(added);
    while (views.length > 1 && views[0].alive >= FEW && views[0].alive * GROWTH > views[1].alive) {
      views.splice(0, 2, merged([views[0], views[1]]));
    }
    return new RuleIndex(this.#shared, views, this.#detours);
  }

  /** The same list with room between all labels; indexes stay. */
  #relabelled(): RuleIndex<Input, Rule> {
    // removed rules get labels too, so that those of a segment stay ascending
    const whole = this.#views.map(({ segment, labels }) => new View(segment, labels));
    const labels = new Map(whole.map((view) => [view, new Float64Array(view.labels.length)]));
    let next = 0;
    eachInOrder(whole, (view, local) => {
      labels.get(view)![local] = next++ * GAP;
    });
    const views = this.#views.map(({ segment, dead }, number) => new View(segment, labels.get(whole[number])!, dead));
    return new RuleIndex(this.#shared, views, this.#detours);
  }
}

/** A search through the segments of a list: a merge of their searches, each begun when its first rule may be next. */
class ListSearch<Input, Rule> implements Search<Rule> {
  readonly #shared: Shared<Input, Rule>;
  #input: Input | undefined;
  #views: readonly View<Input, Rule>[] = [];
  #note: ((segments: number) => void) | undefined;
  #entered = 0;
  // of each segment entered: its search (none for a few rules), its present rule (-1 at the end) and that rule's label
  readonly #searches: (SegmentSearch<Input> | undefined)[] = [];
  readonly #locals: number[] = [];
  readonly #labels: number[] = [];
  #current = -1;

  constructor(shared: Shared<Input, Rule>) {
    this.#shared = shared;
  }

  begin(input: Input, views: readonly View<Input, Rule>[], note: (segments: number) => void): void {
    this.#input = input;
    this.#views = views;
    this.#note = note;
    this.#entered = 0;
    this.#current = -1;
  }

  next(): Rule | undefined {
    if (!this.advance()) {
      this.close();
      return undefined;
    }
    return this.#views[this.#current].segment.rules[this.#locals[this.#current]];
  }

  close(): void {
    if (this.#note === undefined) return;
    if (this.#entered > 1) this.#note(this.#entered - 1);
    this.#note = undefined;
    for (let number = 0; number < this.#entered; number++) {
      this.#searches[number]?.close();
      this.#searches[number] = undefined;
    }
    this.#input = undefined;
    this.#views = [];
    this.#entered = 0;
    this.#current = -1;
    if (this.#shared.idle.length < 16) this.#shared.idle.push(this);
  }

  /** Moves to the next candidate; false at the end. */
  advance(): boolean {
    if (this.#current >= 0) this.#step(this.#current);
    let least = -1;
    for (let number = 0; ; number++) {
      if (number === this.#entered) {
        // a segment is entered only if it has a rule before the best so far
        if (number === this.#views.length) break;
        if (least >= 0 && this.#views[number].labels[0] > this.#labels[least]) break;
        this.#enter(number);
      }
      if (this.#locals[number] >= 0 && (least < 0 || this.#labels[number] < this.#labels[least])) least = number;
    }
    this.#current = least;
    return least >= 0;
  }

  work(): Omit<SearchStatistics, 'candidates'> {
    let clauses = 0;
    let sources = 0;
    for (let number = 0; number < this.#entered; number++) {
      clauses += this.#searches[number]?.clausesSeen ?? 0;
      sources += this.#searches[number]?.sourcesRead ?? 0;
    }
    return { clauses, sources, segments: this.#entered };
  }

  #enter(number: number): void {
    const { conditionOf, access } = this.#shared;
    this.#entered = number + 1;
    this.#locals[number] = -1;
    this.#searches[number] = this.#views[number].segment.index(conditionOf, access)?.open(this.#input!);
    this.#step(number);
  }

  #step(number: number): void {
    const view = this.#views[number];
    const search = this.#searches[number];
    let local = this.#locals[number];
    do {
      if (search !== undefined) local = search.next();
      else if (++local === view.labels.length) local = -1;
    } while (local >= 0 && !view.isAlive(local));
    this.#locals[number] = local;
    if (local >= 0) this.#labels[number] = view.labels[local];
  }
}
