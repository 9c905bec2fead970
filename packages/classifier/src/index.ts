export type { Access, Candidates, Classifier, Condition, Extract, Key, Test } from './types.js';
