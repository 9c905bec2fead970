// The `match` clauses of saved requests: which recorded requests a client wants to see or to remove. All must hold.
import { type RequestJson, RiftError } from '@rift-ts/engine';

export type RequestTest = (request: RequestJson) => boolean;

/** What the clause `flow_id` compares: a header of the request, or the imposter's port. */
export interface FlowIdSource {
  readonly header: string | undefined;
  readonly port: number;
  /** A request without the header belongs to the flow of the port; otherwise to none. */
  readonly absentIsPort?: boolean;
}

function invalid(clause: string, reason: string): RiftError {
  return new RiftError(
    'bad data',
    reason.replace('%s', () => clause),
    {},
    { status: 400, riftOnly: true },
  );
}

/** All values of a header, its name without case. */
function headerValues(request: RequestJson, name: string): readonly string[] {
  const { headers } = request;
  if (typeof headers !== 'object' || headers === null) return [];
  const lower = name.toLowerCase();
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === lower)
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .map(String);
}

function clauseTest(clause: string, flow: FlowIdSource): RequestTest {
  const [, kind, value = ''] = /^(header:|flow_id=|method=|path=)?([\s\S]*)$/.exec(clause)!;
  switch (kind) {
    case 'header:': {
      const equals = value.indexOf('=');
      if (equals < 0) throw invalid(clause, "invalid match clause '%s' (expected header:<Name>=<Value>)");
      const name = value.slice(0, equals);
      if (name === '') throw invalid(clause, "invalid match clause '%s' (empty header name)");
      const wanted = value.slice(equals + 1);
      return (request) => headerValues(request, name).includes(wanted);
    }
    case 'flow_id=': {
      const { header, port, absentIsPort } = flow;
      const absent = absentIsPort ? String(port) : undefined;
      return header === undefined
        ? () => value === String(port)
        : (request) => (headerValues(request, header)[0] ?? absent) === value;
    }
    case 'method=':
      return ({ method }) => method === value;
    case 'path=':
      return ({ path }) => path === value;
    default:
      throw invalid(
        clause,
        "unsupported match clause '%s' (expected header:<Name>=<Value>, flow_id=<Value>, method=<Verb> or path=<Path>)",
      );
  }
}

/** Undefined when there is no clause. @throws RiftError 400 for a clause that is none */
export function matchTest(clauses: readonly string[], flow: FlowIdSource): RequestTest | undefined {
  if (clauses.length === 0) return undefined;
  const tests = clauses.map((clause) => clauseTest(clause, flow));
  return (request) => tests.every((test) => test(request));
}
