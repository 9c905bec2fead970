import { parseRhai } from '../rhai/parser.js';
import { javascriptProblem } from './javascript-script.js';

/** Why a text is no program of its engine; undefined when it is one. It is parsed, not run. */
export function scriptProblem(engine: 'rhai' | 'javascript', code: string): string | undefined {
  if (engine === 'javascript') {
    const problem = javascriptProblem(code);
    return problem === undefined ? undefined : `Evaluation error: ${problem}`;
  }
  try {
    parseRhai(code);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
