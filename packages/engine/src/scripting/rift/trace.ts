// The header `x-rift-script-trace` of an answer that a script made, in debug mode: what it decided, and what it said.

import type { Decision, LogLine, ScriptResult } from './decision.js';

const mostLines = 50;
const longestLine = 500;
const longestBody = 200;

/** JSON of printable ASCII characters. */
export function traceHeader(result: ScriptResult, durationMs: number, lines: readonly LogLine[]): string {
  const logs = lines.slice(0, mostLines).map(({ text }) => cut(text, longestLine));
  if (lines.length > mostLines) logs.push(`… (${lines.length - mostLines} more log line(s) elided)`);
  const decision = result.kind === 'decision' ? decisionText(result.decision) : `error: ${errorText(result)}`;
  const trace = [{ hook: 'respond', decision, durationMs: Math.round(durationMs), logs }];
  return JSON.stringify(trace).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function errorText(result: ScriptResult): string {
  return result.kind === 'error' ? result.message : 'timed out';
}

function decisionText(decision: Decision): string {
  switch (decision.kind) {
    case 'pass':
    case 'reset':
      return `${decision.kind}()`;
    case 'delay':
      return `delay(${decision.ms}ms)`;
    case 'http': {
      const headers = [...decision.headers]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
      const shown = headers.length === 0 ? '' : ` { ${headers.join(', ')} }`;
      return `http(${decision.status})${shown}${decision.body ? ` body="${cut(decision.body, longestBody)}"` : ''}`;
    }
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
