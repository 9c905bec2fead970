export { holds, LinearClassifier } from './linear.js';
export { RuleIndex } from './rule-index.js';
export type { Access, Classifier, Condition, ConditionOf, Extract, Key, Search, Test } from './types.js';
