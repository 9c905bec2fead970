export { includes as includesUnit, type UnitSet } from './code-units.js';
export { holds, LinearClassifier } from './linear.js';
export { type PatternSyntax, parsePattern, unitsOf } from './regex-syntax.js';
export { RuleIndex } from './rule-index.js';
export type { Access, Classifier, Condition, ConditionOf, Extract, FamilyVisitor, Key, Search, Test } from './types.js';
