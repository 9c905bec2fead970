// What each behavior object must look like, as data (Mountebank docs: behaviors), and the checks of `repeat`.

import { RiftError } from '../errors.js';
import { has, isNumericText, isObject } from './shapes.js';
import type { Profile } from './types.js';

interface Field {
  /** Text after `field ` when the value has none of these types; absent: no type check. */
  readonly types: readonly ('string' | 'number' | 'object')[];
  readonly problem: string;
  readonly required?: true;
  readonly oneKey?: true;
  readonly oneOf?: readonly string[];
  readonly children?: { readonly [key: string]: Field };
}

const using: Field = {
  types: ['object'],
  problem: 'must be an object',
  required: true,
  children: {
    method: { types: ['string'], problem: 'must be a string', required: true, oneOf: ['regex', 'xpath', 'jsonpath'] },
    selector: { types: ['string'], problem: 'must be a string', required: true },
  },
};

const from: Field = {
  types: ['string', 'object'],
  problem: 'must be a string or an object, representing the request field to select from',
  required: true,
  oneKey: true,
};

const into: Field = {
  types: ['string'],
  problem: 'must be a string, representing the token to replace in response fields',
  required: true,
};

const schemas: { readonly [type: string]: { readonly [key: string]: Field } } = {
  copy: { from, into, using },
  lookup: {
    key: { types: ['object'], problem: 'must be an object', required: true, children: { from, using } },
    fromDataSource: {
      types: ['object'],
      problem: 'must be an object',
      required: true,
      oneKey: true,
      oneOf: ['csv'],
      children: {
        csv: {
          types: ['object'],
          problem: 'must be an object',
          children: {
            path: {
              types: ['string'],
              problem: 'must be a string, representing the path to the CSV file',
              required: true,
            },
            delimiter: { types: ['string'], problem: 'must be a string, representing the delimiter separator values' },
            keyColumn: {
              types: ['string'],
              problem: 'must be a string, representing the column header to select against the "key" field',
              required: true,
            },
          },
        },
      },
    },
    into,
  },
};

const textBehaviors: { readonly [type: string]: string } = {
  decorate: 'must be a string, representing a JavaScript function',
  shellTransform: 'must be a string, representing the path to a command line application',
};

const behaviorTypes = ['wait', 'copy', 'lookup', 'decorate', 'shellTransform'];

function hasType(value: unknown, types: Field['types']): boolean {
  if (value === null) return false;
  return types.includes(typeof value as 'string');
}

/** Adds the problems of one level of fields to `found`, in the order of the schema, children after their parent. */
function checkFields(
  values: object,
  schema: { readonly [key: string]: Field },
  prefix: string,
  found: (path: string, problem: string) => void,
): void {
  for (const [key, field] of Object.entries(schema)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (!has(values, key)) {
      if (field.required) found(path, 'required');
      continue;
    }
    const value = (values as { [key: string]: unknown })[key];
    if (!hasType(value, field.types)) {
      found(path, field.problem);
      continue;
    }
    if (typeof value === 'object' && value !== null) {
      const keys = Object.keys(value);
      if (field.oneKey && keys.length !== 1) found(path, 'must have exactly one key');
      else if (field.oneOf && !field.oneOf.includes(keys[0]!))
        found(path, `must be one of [${field.oneOf.join(', ')}]`);
      if (field.children) checkFields(value, field.children, path, found);
    } else if (field.oneOf && !field.oneOf.includes(value as string)) {
      found(path, `must be one of [${field.oneOf.join(', ')}]`);
    }
  }
}

/** `{min, max}`, both plain numbers, nothing else: the only `wait` object that runs no script. */
export function isWaitRange(value: unknown): value is { min: number; max: number } {
  return (
    isObject(value) && Object.keys(value).length === 2 && typeof value.min === 'number' && typeof value.max === 'number'
  );
}

/** `{inject: text}`, another spelling of a function text. */
export function isWaitInject(value: unknown): value is { inject: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.inject === 'string';
}

function checkWait(value: unknown, found: (path: string, problem: string) => void): void {
  if (typeof value === 'string' || isWaitInject(value)) return;
  const least = isWaitRange(value) ? Math.min(value.min, value.max) : value;
  if (typeof least !== 'number') found('wait', 'must be a string or a number');
  else if (least < 0) found('wait', 'must be an integer greater than or equal to 0');
}

/**
 * Whether `repeat` is a number above 0 or text that stands for one.
 * Empty text counts as absent, as in Mountebank; other text that is no number is refused instead of silencing the
 * response.
 */
function isRepeat(value: unknown): boolean {
  if (typeof value === 'number') return value > 0;
  if (typeof value !== 'string') return false;
  return value === '' || (isNumericText(value) && Number(value) >= 1);
}

function repeatError(source: unknown, path: string): RiftError {
  return new RiftError('bad data', '"repeat" field must be an integer greater than 0', { source }, { path });
}

/** Problems of the `repeat` beside a response type; at most one. */
export function checkRepeat(response: { [key: string]: unknown }, path: string, errors: RiftError[]): void {
  if (response.repeat !== undefined && !isRepeat(response.repeat)) errors.push(repeatError(response, `${path}.repeat`));
}

function checkBehavior(behavior: unknown, profile: Profile, path: string, errors: RiftError[]): void {
  const add = (message: string, at = path) =>
    errors.push(new RiftError('bad data', message, { source: behavior }, { path: at }));
  if (behavior === null || behavior === undefined) {
    add('behavior must be an object');
    return;
  }
  const keys = Object.keys(behavior);
  if (keys.length === 0) return;
  const known = keys.filter((key) => behaviorTypes.includes(key));
  const object = behavior as { [key: string]: unknown };
  // Exports of the original Rift have `repeat` among the behaviors. Beside a known key Mountebank ignores it.
  if (has(object, 'repeat') && (known.length === 0 || profile === 'rift')) {
    if (!isRepeat(object.repeat)) errors.push(repeatError(behavior, `${path}.repeat`));
    if (known.length === 0) return;
  }
  if (known.length === 0) {
    add(`Unrecognized behavior: "${keys[0]}"`);
    return;
  }
  for (const type of known) {
    const value = object[type];
    const found = (field: string, problem: string) =>
      add(
        `${type} behavior "${field}" field ${problem}`,
        field === type ? `${path}.${type}` : `${path}.${type}.${field}`,
      );
    if (type === 'wait') checkWait(value, found);
    else if (has(textBehaviors, type)) {
      if (typeof value !== 'string') found(type, textBehaviors[type]!);
    } else if (value === null) found(type, 'must be an object');
    else checkFields(Object(value) as object, schemas[type]!, '', found);
  }
  if (known.length > 1 && profile === 'mountebank') add('Each behavior object must have only one behavior type');
}

/** Problems of the `behaviors` of one response, in order. */
export function checkBehaviors(
  response: { [key: string]: unknown },
  profile: Profile,
  path: string,
  errors: RiftError[],
): void {
  const behaviors = response.behaviors;
  if (!behaviors) return;
  if (!Array.isArray(behaviors)) {
    errors.push(
      new RiftError('bad data', '"behaviors" must be an array', { source: response }, { path: `${path}.behaviors` }),
    );
    return;
  }
  behaviors.forEach((behavior, index) => {
    checkBehavior(behavior, profile, `${path}.behaviors[${index}]`, errors);
  });
}
