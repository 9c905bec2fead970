// One static stub against a constant of nginx and against Mountebank: the first number to look at.
import { imposters } from '../fixture.mjs';
import { comparison } from '../scenarios.mjs';
import { comparisonReport } from './scenarios.mjs';

export async function run(bench) {
  const names = ['nginx', 'node20', 'node24', 'bun', 'mountebank', 'mountebank-keepalive'];
  const work = [{ imposter: imposters[0], scenario: comparison[0] }];
  return comparisonReport(bench, { name: 'quick', title: 'One static stub', names, work });
}
