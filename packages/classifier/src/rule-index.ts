// An ordered rule list with an index over it: immutable snapshots; an edit makes a new one.
// This first form indexes one exact test a rule; everything else is a candidate always.
import type { Access, Classifier, Condition, ConditionOf, Extract, Key, Search } from './types.js';

interface ExactKey<Input> {
  readonly extract: Extract<Input>;
  readonly positions: Map<string, number[]>;
}

/** The equals test of a condition that must hold, if it has one at its top. */
function exactTestOf(condition: Condition): { key: Key; value: string } | undefined {
  if (condition.kind === 'test' && condition.test.op === 'equals') {
    return { key: condition.key, value: condition.test.value };
  }
  if (condition.kind !== 'all') return undefined;
  for (const part of condition.of) {
    const found = exactTestOf(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

export class RuleIndex<Input, Rule> implements Classifier<Input, Rule> {
  readonly #rules: readonly Rule[];
  readonly #conditionOf: ConditionOf<Rule>;
  readonly #access: Access<Input>;
  #exact: ExactKey<Input>[] | undefined;
  #others: number[] = [];

  private constructor(rules: readonly Rule[], conditionOf: ConditionOf<Rule>, access: Access<Input>) {
    this.#rules = rules;
    this.#conditionOf = conditionOf;
    this.#access = access;
  }

  /** Makes a list. Nothing is indexed before the first search. */
  static build<Input, Rule>(
    rules: Iterable<Rule>,
    conditionOf: ConditionOf<Rule>,
    access: Access<Input>,
  ): RuleIndex<Input, Rule> {
    return new RuleIndex([...rules], conditionOf, access);
  }

  get length(): number {
    return this.#rules.length;
  }

  at(position: number): Rule {
    if (!(position >= 0 && position < this.#rules.length)) throw new RangeError(`no rule at ${position}`);
    return this.#rules[position];
  }

  [Symbol.iterator](): Iterator<Rule> {
    return this.#rules[Symbol.iterator]();
  }

  /** A list with `rule` standing at position `at` (0..length), those from there on one further. */
  insert(at: number, rule: Rule): RuleIndex<Input, Rule> {
    if (!(at >= 0 && at <= this.#rules.length)) throw new RangeError(`no place at ${at}`);
    return this.#derived(this.#rules.toSpliced(at, 0, rule));
  }

  /** A list without the rule at a position. */
  remove(at: number): RuleIndex<Input, Rule> {
    this.at(at);
    return this.#derived(this.#rules.toSpliced(at, 1));
  }

  /** A list with another rule at a position. */
  replace(at: number, rule: Rule): RuleIndex<Input, Rule> {
    this.at(at);
    return this.#derived(this.#rules.with(at, rule));
  }

  search(input: Input): Search<Rule> {
    const positions = this.#positions(input);
    let next = 0;
    return {
      next: () => (next < positions.length ? this.#rules[positions[next++]] : undefined),
      close: () => {
        next = positions.length;
      },
    };
  }

  first(input: Input, accept: (rule: Rule, input: Input) => boolean): Rule | undefined {
    for (const position of this.#positions(input)) {
      if (accept(this.#rules[position], input)) return this.#rules[position];
    }
    return undefined;
  }

  #derived(rules: readonly Rule[]): RuleIndex<Input, Rule> {
    return new RuleIndex(rules, this.#conditionOf, this.#access);
  }

  #positions(input: Input): number[] {
    this.#exact ??= this.#index();
    const found = [...this.#others];
    for (const { extract, positions } of this.#exact) {
      const texts = extract(input);
      if (texts === undefined) continue;
      for (const text of new Set(typeof texts === 'string' ? [texts] : texts))
        found.push(...(positions.get(text) ?? []));
    }
    return found.sort((a, b) => a - b);
  }

  #index(): ExactKey<Input>[] {
    const keys = new Map<string, ExactKey<Input>>();
    this.#rules.forEach((rule, position) => {
      const condition = this.#conditionOf(rule);
      if (condition.kind === 'never') return;
      const exact = exactTestOf(condition);
      if (exact === undefined) {
        this.#others.push(position);
        return;
      }
      const id = `${exact.key.family}\n${exact.key.name}`;
      let key = keys.get(id);
      if (key === undefined) {
        key = { extract: this.#access.extractor(exact.key), positions: new Map() };
        keys.set(id, key);
      }
      const positions = key.positions.get(exact.value);
      if (positions === undefined) key.positions.set(exact.value, [position]);
      else positions.push(position);
    });
    return [...keys.values()];
  }
}
