// The oracle: what a Condition means, written down as directly as possible. Searching is a scan. Every index is tested
// against it; it is what an index may never exclude more than.
import type { Access, Classifier, Condition, ConditionOf, Key, Search, Test } from './types.js';

/** The texts an input has for a key, as a list. */
function textsOf<Input>(key: Key, input: Input, access: Access<Input>): readonly string[] {
  const texts = access.extractor(key)(input);
  if (texts === undefined) return [];
  return typeof texts === 'string' ? [texts] : texts;
}

function passes(test: Test, texts: readonly string[]): boolean {
  switch (test.op) {
    case 'present':
      return texts.length > 0;
    case 'absent':
      return texts.length === 0;
    case 'equals':
      return texts.includes(test.value);
    case 'startsWith':
      return texts.some((text) => text.startsWith(test.value));
    case 'endsWith':
      return texts.some((text) => text.endsWith(test.value));
    case 'contains':
      return texts.some((text) => text.includes(test.value));
    case 'matches': {
      const pattern = new RegExp(test.source, test.flags.includes('i') ? 'i' : '');
      return texts.some((text) => pattern.test(text));
    }
  }
}

/** Whether a condition holds for an input. An invalid regular expression throws SyntaxError. */
export function holds<Input>(condition: Condition, input: Input, access: Access<Input>): boolean {
  switch (condition.kind) {
    case 'any':
      return true;
    case 'never':
      return false;
    case 'test':
      return passes(condition.test, textsOf(condition.key, input, access));
    case 'all':
      return condition.of.every((part) => holds(part, input, access));
    case 'some':
      return condition.of.some((part) => holds(part, input, access));
  }
}

/** The classifier without an index: candidates are exactly the rules whose condition holds. */
export class LinearClassifier<Input, Rule> implements Classifier<Input, Rule> {
  readonly #rules: readonly Rule[];
  readonly #conditionOf: ConditionOf<Rule>;
  readonly #access: Access<Input>;

  constructor(rules: Iterable<Rule>, conditionOf: ConditionOf<Rule>, access: Access<Input>) {
    this.#rules = [...rules];
    this.#conditionOf = conditionOf;
    this.#access = access;
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

  search(input: Input): Search<Rule> {
    let position = 0;
    return {
      next: () => {
        while (position < this.#rules.length) {
          const rule = this.#rules[position++];
          if (holds(this.#conditionOf(rule), input, this.#access)) return rule;
        }
        return undefined;
      },
      close: () => {
        position = this.#rules.length;
      },
    };
  }

  first(input: Input, accept: (rule: Rule, input: Input) => boolean): Rule | undefined {
    return this.#rules.find((rule) => holds(this.#conditionOf(rule), input, this.#access) && accept(rule, input));
  }
}
