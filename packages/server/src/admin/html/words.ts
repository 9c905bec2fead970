// Stubs, responses and requests in a few words, for the one line that a page shows of each.
import type { Json, JsonObject } from '@rift-ts/engine';

const longest = 90;

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const verbs: Readonly<Record<string, string>> = {
  equals: '=',
  deepEquals: '≡',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
  matches: '~',
};

/** The fields of an operand; those of headers, query and form by their own names. */
function fields(operand: JsonObject): [string, Json][] {
  return Object.entries(operand).flatMap(([field, value]): [string, Json][] =>
    ['headers', 'query', 'form'].includes(field) && isObject(value) && Object.keys(value).length > 0
      ? Object.entries(value).map(([key, inner]) => [`${field}.${key}`, inner])
      : [[field, value]],
  );
}

function describePredicate(predicate: Json): string {
  if (!isObject(predicate)) return plain(predicate);
  for (const [operator, operand] of Object.entries(predicate)) {
    const verb = verbs[operator];
    if (verb !== undefined && isObject(operand)) {
      return fields(operand)
        .map(([field, value]) => `${field} ${verb} ${plain(value)}`)
        .join(' and ');
    }
    if (operator === 'exists' && isObject(operand)) {
      return fields(operand)
        .map(([field, value]) => `${field} ${value === true ? 'exists' : value === false ? 'is absent' : plain(value)}`)
        .join(' and ');
    }
    if (operator === 'not' && operand !== undefined) return `not (${describePredicate(operand)})`;
    if ((operator === 'and' || operator === 'or') && Array.isArray(operand)) {
      return operand.map((each) => `(${describePredicate(each)})`).join(` ${operator} `);
    }
    if (operator === 'inject') return 'a script decides';
  }
  return plain(predicate);
}

/** `method = GET and path = /a`. */
export function describeStub(stub: JsonObject): string {
  const predicates = stub.predicates ?? stub.rules;
  if (!Array.isArray(predicates) || predicates.length === 0) return 'any request';
  return short(predicates.map(describePredicate).join(', '));
}

function describeResponse(response: Json): string {
  if (!isObject(response)) return plain(response);
  if (isObject(response.is)) {
    const { statusCode, body, data } = response.is;
    const content = body ?? data;
    return `${statusCode === undefined ? '' : `${plain(statusCode)} `}${content === undefined ? '' : plain(content)}`.trim();
  }
  if (isObject(response.proxy)) return `proxy to ${plain(response.proxy.to)}`;
  if (response.inject !== undefined) return 'a script answers';
  if (response.fault !== undefined) return `fault ${plain(response.fault)}`;
  return plain(response);
}

/** `200 Hello! (1 of 3)`. */
export function describeResponses(stub: JsonObject): string {
  const { responses } = stub;
  if (!Array.isArray(responses) || responses.length === 0) return '';
  const first = short(describeResponse(responses[0]!));
  return responses.length === 1 ? first : `${first} (1 of ${responses.length})`;
}

/** `GET /a?x=1`, the text of a tcp request, the subject of a mail. */
export function describeRequest(request: JsonObject): string {
  const { method, path, query, data, subject } = request;
  if (method !== undefined || path !== undefined) {
    const pairs = isObject(query)
      ? Object.entries(query).flatMap(([key, value]) =>
          (Array.isArray(value) ? value : [value]).map((each) => `${key}=${plain(each)}`),
        )
      : [];
    return short(`${plain(method)} ${plain(path)}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`);
  }
  if (data !== undefined) return short(plain(data));
  if (subject !== undefined) return short(plain(subject));
  return short(JSON.stringify(request));
}
