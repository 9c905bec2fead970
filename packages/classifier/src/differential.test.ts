import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Texts, textsAccess } from './cases.fixture.js';
import { condition, input, nearText, runs, validPattern } from './generated.fixture.js';
import { Hits } from './hits.js';
import { holds, LinearClassifier } from './linear.js';
import { RegexAutomaton } from './regex-automaton.js';
import { RuleIndex } from './rule-index.js';
import type { Classifier, Condition } from './types.js';

interface Rule {
  readonly condition: Condition;
}
const conditionOf = (rule: Rule): Condition => rule.condition;
const rule = condition.map((condition) => ({ condition }));

function candidatesOf(list: Classifier<Texts, Rule>, given: Texts): Rule[] {
  const found: Rule[] = [];
  list.first(given, (candidate) => {
    found.push(candidate);
    return false;
  });
  return found;
}

/** That `list` gives all rules that hold, each once, in order. */
function agrees(list: RuleIndex<Texts, Rule>, rules: readonly Rule[], given: Texts): void {
  const holding = candidatesOf(new LinearClassifier(rules, conditionOf, textsAccess), given);
  const found = candidatesOf(list, given);
  const positions = new Map(rules.map((each, position) => [each, position]));
  const order = found.map((each) => positions.get(each)!);
  assert.deepEqual(
    order,
    [...new Set(order)].sort((a, b) => a - b),
    'in order, once',
  );
  const known = new Set(found);
  assert.deepEqual(
    holding.filter((each) => !known.has(each)),
    [],
    'excluded although they hold',
  );
}

test('the index never excludes a rule whose condition holds', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 9, maxLength: 60, size: 'max' }),
      fc.array(input, { minLength: 4, maxLength: 4 }),
      (rules, inputs) => {
        const list = RuleIndex.build(rules, conditionOf, textsAccess);
        for (const given of inputs) agrees(list, rules, given);
      },
    ),
    runs(400),
  );
});

test('a list stays right under edits, and so do the lists it was made from', () => {
  const edit = fc.tuple(fc.constantFrom('insert', 'append', 'remove', 'replace'), fc.nat(), rule);
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 20, size: 'max' }),
      fc.array(edit, { minLength: 30, maxLength: 60, size: 'max' }),
      input,
      (begin, edits, given) => {
        let rules = begin;
        let list = RuleIndex.build(rules, conditionOf, textsAccess);
        const earlier: [RuleIndex<Texts, Rule>, readonly Rule[]][] = [];
        for (const [kind, anywhere, fresh] of edits) {
          if (earlier.length % 3 === 0) agrees(list, rules, given);
          earlier.push([list, rules]);
          if (kind === 'append' || rules.length === 0) {
            list = list.insert(rules.length, fresh);
            rules = [...rules, fresh];
            continue;
          }
          const at = anywhere % rules.length;
          if (kind === 'insert') {
            list = list.insert(at, fresh);
            rules = rules.toSpliced(at, 0, fresh);
          } else if (kind === 'remove') {
            list = list.remove(at);
            rules = rules.toSpliced(at, 1);
          } else {
            list = list.replace(at, fresh);
            rules = rules.with(at, fresh);
          }
        }
        earlier.push([list, rules]);
        for (const [each, expected] of earlier) {
          assert.deepEqual([...each], expected);
          assert.equal(each.length, expected.length);
          if (expected.length > 0) assert.equal(each.at(expected.length >> 1), expected[expected.length >> 1]);
          agrees(each, expected, given);
        }
      },
    ),
    runs(60),
  );
});

test('the automaton of patterns never rules out one that matches', () => {
  fc.assert(
    fc.property(
      fc.array(validPattern, { minLength: 1, maxLength: 12 }),
      fc.array(nearText, { minLength: 6, maxLength: 6 }),
      (patterns, texts) => {
        const automaton = new RegexAutomaton(
          patterns.map(({ source, flags }, atom) => ({ source, ignoreCase: flags === 'i', atom })),
        );
        for (const text of texts) {
          const hits = new Hits(patterns.length);
          automaton.scan(text, hits);
          const found = new Set(Array.from({ length: hits.count }, (_, at) => hits.at(at)));
          assert.equal(found.size, hits.count, 'each once');
          patterns.forEach(({ source, flags }, atom) => {
            if (new RegExp(source, flags).test(text))
              assert.ok(found.has(atom), `/${source}/${flags} on ${JSON.stringify(text)}`);
          });
        }
      },
    ),
    runs(3000),
  );
});

test('a pattern alone never hides its rule', () => {
  fc.assert(
    fc.property(
      fc.array(validPattern, { minLength: 9, maxLength: 20 }),
      fc.array(nearText, { minLength: 6, maxLength: 6 }),
      (patterns, texts) => {
        const rules = patterns.map(
          (pattern): Rule => ({
            condition: { kind: 'test', key: { family: 'path', name: 'x' }, test: { op: 'matches', ...pattern } },
          }),
        );
        const list = RuleIndex.build(rules, conditionOf, textsAccess);
        for (const text of texts) agrees(list, rules, { 'path x': text });
      },
    ),
    runs(1500),
  );
});

test('conditions that the oracle decides by one text are decided text by text', () => {
  const condition: Condition = {
    kind: 'test',
    key: { family: 'query', name: 'a' },
    test: { op: 'endsWith', value: 'x' },
  };
  assert.ok(holds(condition, { 'query a': ['x', 'y'] }, textsAccess));
});
