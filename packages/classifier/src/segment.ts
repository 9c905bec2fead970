// A part of a rule list: rules in order, with an index that is made at the first search and shared by all lists that the
// part belongs to; and how one list sees it: where its rules stand (labels) and which it no longer has.
import { FEW } from './access-tree.js';
import { SegmentIndex } from './segment-index.js';
import type { Tombstones } from './tombstones.js';
import type { Access, ConditionOf } from './types.js';

export class Segment<Input, Rule> {
  #index: SegmentIndex<Input> | undefined;

  constructor(readonly rules: readonly Rule[]) {}

  /** The index over the rules; a few rules have none, they are all candidates. */
  index(
    conditionOf: ConditionOf<Rule>,
    access: Access<Input>,
    read?: (rule: number) => void,
  ): SegmentIndex<Input> | undefined {
    if (this.rules.length <= FEW) return undefined;
    this.#index ??= SegmentIndex.build(this.rules, conditionOf, access, read);
    return this.#index;
  }
}

/** A segment in one rule list. Rules of all segments of a list come in the order of their labels. */
export class View<Input, Rule> {
  constructor(
    readonly segment: Segment<Input, Rule>,
    readonly labels: Float64Array,
    readonly dead?: Tombstones,
  ) {}

  /** Rules that the list still has. */
  get alive(): number {
    return this.labels.length - (this.dead?.count ?? 0);
  }

  isAlive(local: number): boolean {
    return this.dead === undefined || !this.dead.has(local);
  }

  /** The first rule with this label or a later one. */
  from(label: number): number {
    let low = 0;
    let high = this.labels.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.labels[middle] < label) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many living rules stand before a position of the segment. */
  aliveBefore(local: number): number {
    return local - (this.dead?.countBefore(local) ?? 0);
  }
}
