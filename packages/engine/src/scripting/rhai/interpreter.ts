// Walks the tree of a Rhai program. It is synchronous and knows nothing of threads; what bounds it is a count of operations,
// after which it asks whether it may go on.

import type { Block, Expression, FunctionDefinition, Program } from './ast.js';
import { type Position, RhaiError, RhaiInterrupted } from './errors.js';
import { builtin, type Caller, Changed, characterAt, lengthProperty, mutates, none } from './functions.js';
import { binary, bool, checkedItems, contains, functionNotFound, mismatch, unary } from './operators.js';
import {
  Char,
  Closure,
  checkedText,
  copyOf,
  equal,
  HostValue,
  maxItems,
  NoSuchForm,
  Range,
  textOf,
  typeName,
  type Value,
  type Variable,
} from './values.js';

export interface RunOptions {
  /** Functions of whoever runs the program, by name; throw NoSuchForm for arguments they do not take. */
  readonly functions?: { readonly [name: string]: (args: readonly Value[]) => Value };
  /** Gets what `print` and `debug` show. */
  log?(text: string): void;
  /** Called after every `interval` operations; throws RhaiInterrupted to end the run. */
  tick?(): void;
  /** 1000 by default. */
  readonly interval?: number;
}

/** Calls of functions in functions. */
const maxCallDepth = 64;

/** Leaves blocks up to a loop or a function. Thrown, but never seen outside of this file. */
class Jump {
  constructor(
    readonly kind: 'break' | 'continue' | 'return',
    readonly value: Value,
  ) {}
}

const proceed = new Jump('continue', undefined);

export class Interpreter implements Caller {
  readonly #program: Program;
  readonly #options: RunOptions;
  readonly #interval: number;
  #left: number;
  #calls = 0;
  /** Variables in sight, innermost last. */
  #scope: Variable[];
  #this: { value: Value } | undefined;

  /** `variables` are in the scope of the program's own statements, not of its functions. */
  constructor(program: Program, variables: Readonly<Record<string, Value>>, options: RunOptions = {}) {
    this.#program = program;
    this.#options = options;
    this.#interval = options.interval ?? 1000;
    this.#left = this.#interval;
    this.#scope = Object.entries(variables).map(([name, value]) => ({ name, value, constant: false }));
  }

  /** Runs the statements outside of functions; their value is that of the last expression. Throws RhaiError. */
  run(): Value {
    return this.#guarded(() => this.#statements(this.#program.main));
  }

  /** Calls one of the program's functions. Throws RhaiError. */
  callFunction(name: string, args: readonly Value[]): Value {
    const definition = this.#program.functions.get(`${name}/${args.length}`);
    if (definition === undefined) throw functionNotFound(name, args);
    return this.#guarded(() => this.#invoke(definition, args));
  }

  /** The value of a variable of the program's own statements. */
  variable(name: string): Value {
    return this.#find(name)?.value;
  }

  #guarded(run: () => Value): Value {
    try {
      return run();
    } catch (error) {
      if (error instanceof Jump) return error.value;
      throw asRhaiError(error);
    }
  }

  // --- what built-in functions need --------------------------------------------------------------------------------------

  call(closure: Closure, args: readonly Value[]): Value {
    if (closure.parameters.length !== args.length) throw functionNotFound('anonymous', args);
    const scope: Variable[] = [...closure.captured];
    for (const [index, name] of closure.parameters.entries()) {
      scope.push({ name, value: this.copy(args[index]), constant: false });
    }
    return this.copy(this.#inScope(scope, this.#this, () => this.#evaluate(closure.body)));
  }

  copy(value: Value): Value {
    return typeof value === 'object' ? copyOf(value, this.#count) : value;
  }

  readonly #count = (items: number): void => {
    // Even an empty array in an array is work
    this.work(items + 1);
  };

  work(amount: number): void {
    this.#left -= amount;
    if (this.#left > 0) return;
    this.#left = this.#interval;
    this.#options.tick?.();
  }

  log(text: string): void {
    this.#options.log?.(text);
  }

  // --- calls -----------------------------------------------------------------------------------------------------------

  #inScope(scope: Variable[], self: { value: Value } | undefined, run: () => Value): Value {
    if (++this.#calls > maxCallDepth) throw new RhaiError('ErrorStackOverflow', 'Stack overflow');
    const { outer, outerThis } = { outer: this.#scope, outerThis: this.#this };
    this.#scope = scope;
    this.#this = self;
    try {
      return run();
    } catch (error) {
      if (error instanceof Jump && error.kind === 'return') return error.value;
      throw error;
    } finally {
      this.#scope = outer;
      this.#this = outerThis;
      this.#calls--;
    }
  }

  #invoke({ parameters, body }: FunctionDefinition, args: readonly Value[], self?: { value: Value }): Value {
    const scope = parameters.map((name, index): Variable => ({ name, value: this.copy(args[index]), constant: false }));
    return this.#inScope(scope, self, () => this.#statements(body));
  }

  #callNamed(name: string, args: readonly Value[], position: Position): Value {
    const own = this.#program.functions.get(`${name}/${args.length}`);
    if (own !== undefined) return this.#invoke(own, args);
    const variable = this.#find(name);
    if (variable?.value instanceof Closure) return this.call(variable.value, args);
    const given = this.#options.functions;
    if (given !== undefined && Object.hasOwn(given, name)) {
      try {
        return given[name]!(args);
      } catch (error) {
        if (error instanceof NoSuchForm) throw functionNotFound(name, args).at(position);
        throw error;
      }
    }
    const run = builtin(name, args.length);
    const result = run === undefined ? none : run(args, this);
    if (result === none) throw functionNotFound(name, args).at(position);
    // A function that changes a text in place has changed nothing but its own copy
    return result instanceof Changed ? undefined : result;
  }

  #isOwn(name: string, arity: number): boolean {
    return this.#program.functions.has(`${name}/${arity}`) || this.#find(name)?.value instanceof Closure;
  }

  #method(node: Expression & { kind: 'method' }): Value {
    const { name, position } = node;
    const object = this.#evaluate(node.object);
    if (object === undefined && node.safe) return undefined;
    if (
      object instanceof Map &&
      object.get(name) instanceof Closure &&
      builtin(name, node.args.length + 1) === undefined
    ) {
      return this.call(object.get(name) as Closure, node.args.map(this.#stored));
    }
    const args = node.args.map(this.#stored);
    if (object instanceof Closure && name === 'call') return this.call(object, args);
    if (object instanceof HostValue && Object.hasOwn(object.methods, name)) {
      try {
        return object.methods[name]!(args);
      } catch (error) {
        if (error instanceof NoSuchForm) throw functionNotFound(name, [object, ...args]).at(position);
        throw error;
      }
    }
    const { functions } = this.#program;
    const first = functions.get(`${name}/${args.length + 1}`);
    if (first !== undefined) return this.#invoke(first, [object, ...args]);
    const bound = functions.get(`${name}/${args.length}`);
    if (bound !== undefined) {
      const self = { value: object };
      const result = this.#invoke(bound, args, self);
      if (self.value !== object && isPlace(node.object)) this.#assign(node.object, self.value);
      return result;
    }
    if (mutates(name)) this.#checkConstant(node.object, position);
    const all = [object, ...args];
    const run = builtin(name, all.length);
    const result = run === undefined ? none : run(all, this);
    if (result === none) {
      const given = this.#options.functions;
      if (given !== undefined && Object.hasOwn(given, name)) return this.#callNamed(name, all, position);
      throw functionNotFound(name, all).at(position);
    }
    if (!(result instanceof Changed)) return result;
    if (isPlace(node.object)) this.#assign(node.object, result.value);
    return undefined;
  }

  // --- variables -------------------------------------------------------------------------------------------------------

  #find(name: string): Variable | undefined {
    const scope = this.#scope;
    for (let index = scope.length - 1; index >= 0; index--) if (scope[index]!.name === name) return scope[index];
    return undefined;
  }

  #variable(name: string, position: Position): Variable {
    const found = this.#find(name);
    if (found === undefined) throw new RhaiError('ErrorVariableNotFound', `Variable not found: ${name}`).at(position);
    return found;
  }

  #self(position: Position): { value: Value } {
    if (this.#this === undefined) throw new RhaiError('ErrorUnboundThis', "'this' is not bound").at(position);
    return this.#this;
  }

  #checkConstant(place: Expression, position: Position): void {
    let root = place;
    while (root.kind === 'index' || root.kind === 'property') root = root.object;
    if (root.kind === 'variable' && this.#find(root.name)?.constant) {
      throw new RhaiError('ErrorAssignmentToConstant', `Cannot modify constant: ${root.name}`).at(position);
    }
  }

  /** The value of an expression, to be stored: never one that is stored elsewhere, too. */
  readonly #stored = (node: Expression): Value => {
    const value = this.#evaluate(node);
    return typeof value === 'object' && node.kind !== 'array' && node.kind !== 'map' && node.kind !== 'binary'
      ? copyOf(value, this.#count)
      : value;
  };

  #assign(target: Expression, value: Value): void {
    const { position } = target;
    switch (target.kind) {
      case 'variable': {
        const variable = this.#variable(target.name, position);
        if (variable.constant) this.#checkConstant(target, position);
        variable.value = value;
        return;
      }
      case 'this':
        this.#self(position).value = value;
        return;
      case 'property': {
        const object = this.#evaluate(target.object);
        if (object instanceof Map) {
          this.#setKey(object, target.name, value);
          return;
        }
        const reason = `Unknown property '${target.name}' - a setter is not registered for type '${typeName(object)}'`;
        throw new RhaiError('ErrorDotExpr', reason).at(position);
      }
      case 'index': {
        const object = this.#evaluate(target.object);
        const index = this.#evaluate(target.index);
        if (object instanceof Map && typeof index === 'string') this.#setKey(object, index, value);
        else if (Array.isArray(object) && typeof index === 'bigint') object[arrayIndex(object, index)] = value;
        else if (typeof object === 'string' && typeof index === 'bigint' && value instanceof Char) {
          characterAt(object, index);
          const chars = [...object];
          chars[Number(index < 0n ? BigInt(chars.length) + index : index)] = value.text;
          this.#assign(target.object, chars.join(''));
        } else throw indexingType(object, index);
      }
    }
  }

  #setKey(map: Map<string, Value>, key: string, value: Value): void {
    map.set(key, value);
    if (map.size > maxItems) throw new RhaiError('ErrorDataTooLarge', 'Size of object map too large');
  }

  // --- expressions -----------------------------------------------------------------------------------------------------

  #statements(block: Block): Value {
    let value: Value;
    for (const statement of block.statements) value = this.#evaluate(statement);
    return block.yields ? value : undefined;
  }

  #block(block: Block): Value {
    const scope = this.#scope;
    const size = scope.length;
    try {
      return this.#statements(block);
    } finally {
      scope.length = size;
    }
  }

  #evaluate(node: Expression): Value {
    if (--this.#left <= 0) {
      this.#left = this.#interval;
      this.#options.tick?.();
    }
    try {
      return this.#evaluated(node);
    } catch (error) {
      if (error instanceof RhaiError) error.at(node.position);
      throw error;
    }
  }

  #evaluated(node: Expression): Value {
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'variable':
        return this.#variable(node.name, node.position).value;
      case 'this':
        return this.#self(node.position).value;
      case 'block':
        return this.#block(node);
      case 'binary': {
        const left = this.#evaluate(node.left);
        // The right side may change what the left side has found
        return binary(node.operator, left, this.#evaluate(node.right));
      }
      case 'logic':
        return this.#logic(node);
      case 'unary':
        return unary(node.operator, this.#evaluate(node.operand));
      case 'in': {
        const value = this.#evaluate(node.left);
        const container = this.#evaluate(node.right);
        if (Array.isArray(container)) this.work(container.length);
        return contains(container, value) !== node.negated;
      }
      case 'call': {
        const [first, ...others] = node.args;
        const { name, position } = node;
        // Built-in functions change their first argument however they are called
        if (first !== undefined && mutates(name) && isPlace(first) && !this.#isOwn(name, node.args.length)) {
          return this.#method({ kind: 'method', position, object: first, name, args: others, safe: false });
        }
        return this.#callNamed(name, node.args.map(this.#stored), position);
      }
      case 'method':
        return this.#method(node);
      case 'property':
        return this.#property(node);
      case 'index': {
        const object = this.#evaluate(node.object);
        if (object === undefined && node.safe) return undefined;
        return indexed(object, this.#evaluate(node.index));
      }
      case 'if':
        if (bool(this.#evaluate(node.condition))) return this.#block(node.then);
        return node.otherwise === undefined ? undefined : this.#evaluate(node.otherwise);
      case 'let': {
        const value = node.value === undefined ? undefined : this.#stored(node.value);
        this.#scope.push({ name: node.name, value, constant: node.constant });
        return undefined;
      }
      case 'assign': {
        this.#checkConstant(node.target, node.position);
        const value = this.#stored(node.value);
        this.#assign(
          node.target,
          node.operator === undefined ? value : binary(node.operator, this.#evaluate(node.target), value),
        );
        return undefined;
      }
      case 'template': {
        let text = '';
        for (const part of node.parts) {
          text = checkedText(text + (typeof part === 'string' ? part : textOf(this.#block(part))));
        }
        return text;
      }
      case 'array':
        return checkedItems(node.items.map(this.#stored));
      case 'map':
        return new Map(node.entries.map(([name, item]) => [name, this.#stored(item)]));
      case 'closure': {
        const captured: Variable[] = [];
        for (const name of node.free) {
          const variable = this.#find(name);
          if (variable !== undefined) captured.push(variable);
        }
        return new Closure(node.parameters, node.body, captured);
      }
      case 'switch':
        return this.#switch(node);
      case 'while':
        return this.#loop(() => {
          if (node.condition !== undefined && !bool(this.#evaluate(node.condition))) return true;
          this.#block(node.body);
          return false;
        });
      case 'do':
        return this.#loop(() => {
          try {
            this.#block(node.body);
          } catch (error) {
            if (error !== proceed) throw error;
          }
          return bool(this.#evaluate(node.condition)) === node.until;
        });
      case 'for':
        return this.#for(node);
      case 'break':
        throw new Jump('break', node.value === undefined ? undefined : this.#stored(node.value));
      case 'return':
        throw new Jump('return', node.value === undefined ? undefined : this.#stored(node.value));
      case 'continue':
        throw proceed;
      case 'throw': {
        const value = node.value === undefined ? undefined : this.#stored(node.value);
        throw new RhaiError('ErrorRuntime', `Runtime error: ${textOf(value)}`, { value });
      }
      case 'try':
        return this.#try(node);
      case 'empty':
        return undefined;
    }
  }

  #logic(node: Expression & { kind: 'logic' }): Value {
    const left = this.#evaluate(node.left);
    if (node.operator === '??') return left === undefined ? this.#evaluate(node.right) : left;
    if (bool(left) === (node.operator === '||')) return left;
    return bool(this.#evaluate(node.right));
  }

  #property(node: Expression & { kind: 'property' }): Value {
    const object = this.#evaluate(node.object);
    if (object instanceof Map) return object.get(node.name);
    if (object === undefined && node.safe) return undefined;
    const length = node.name === 'len' ? lengthProperty(object) : undefined;
    if (length !== undefined) return length;
    const reason = `Unknown property '${node.name}' - a getter is not registered for type '${typeName(object)}'`;
    throw new RhaiError('ErrorDotExpr', reason);
  }

  #switch(node: Expression & { kind: 'switch' }): Value {
    const subject = this.#evaluate(node.subject);
    for (const { patterns, guard, body } of node.arms) {
      const fits = patterns?.some((pattern) => {
        const value = this.#evaluate(pattern);
        if (value instanceof Range && typeof subject === 'bigint') return value.includes(subject);
        return typeName(value) === typeName(subject) && equal(value, subject);
      });
      if (fits === false) continue;
      if (guard === undefined || bool(this.#evaluate(guard))) return this.#evaluate(body);
    }
    return undefined;
  }

  /** Turns until `turn` says that it is over or breaks; the value is that of the `break`. */
  #loop(turn: () => boolean): Value {
    for (;;) {
      // A loop whose body is empty evaluates nothing
      this.work(1);
      try {
        if (turn()) return undefined;
      } catch (error) {
        if (error === proceed) continue;
        if (error instanceof Jump && error.kind === 'break') return error.value;
        throw error;
      }
    }
  }

  #for(node: Expression & { kind: 'for' }): Value {
    const items = iterator(this.#evaluate(node.over));
    const scope = this.#scope;
    const size = scope.length;
    let count = 0n;
    try {
      return this.#loop(() => {
        const { done, value } = items.next();
        if (done) return true;
        scope.length = size;
        if (node.counter !== undefined) scope.push({ name: node.counter, value: count++, constant: false });
        scope.push({ name: node.variable, value: this.copy(value as Value), constant: false });
        this.#block(node.body);
        return false;
      });
    } finally {
      scope.length = size;
    }
  }

  #try(node: Expression & { kind: 'try' }): Value {
    const scope = this.#scope;
    const size = scope.length;
    const depth = this.#calls;
    try {
      return this.#block(node.body);
    } catch (thrown) {
      if (thrown instanceof Jump || thrown instanceof RhaiInterrupted) throw thrown;
      const error = asRhaiError(thrown).at(node.position);
      if (error.kind === 'ErrorStackOverflow') throw error;
      this.#calls = depth;
      if (node.name !== undefined) scope.push({ name: node.name, value: caught(error), constant: false });
      return this.#block(node.handler);
    } finally {
      scope.length = size;
    }
  }
}

/** What `catch (e)` gives: the thrown value, or a description of the error. */
function caught(error: RhaiError): Value {
  if (error.thrown !== undefined) return error.thrown.value as Value;
  const { line, column } = error.position!;
  return new Map<string, Value>([
    ['error', error.kind],
    ['message', error.reason],
    ['line', BigInt(line)],
    ['position', BigInt(column)],
  ]);
}

/** Our own stack may end before the count of calls does, when expressions are nested deeply. */
function asRhaiError(error: unknown): RhaiError {
  if (error instanceof RhaiError) return error;
  if (error instanceof RangeError) return new RhaiError('ErrorStackOverflow', 'Stack overflow');
  throw error;
}

function isPlace(node: Expression): boolean {
  if (node.kind === 'variable' || node.kind === 'this') return true;
  return (node.kind === 'property' || node.kind === 'index') && !node.safe && isPlace(node.object);
}

function arrayIndex(array: readonly Value[], index: bigint): number {
  const at = index < 0n ? BigInt(array.length) + index : index;
  if (at >= 0n && at < BigInt(array.length)) return Number(at);
  const only =
    array.length === 0 ? 'array is empty' : `only ${array.length} element${array.length === 1 ? '' : 's'} in array`;
  throw new RhaiError('ErrorArrayBounds', `Array index ${index} out of bounds: ${only}`);
}

function indexingType(object: Value, index: Value): RhaiError {
  const reason = `Indexer unavailable: ${typeName(object)} [${typeName(index)}]`;
  return new RhaiError('ErrorIndexingType', reason);
}

function indexed(object: Value, index: Value): Value {
  if (object instanceof Map && typeof index === 'string') return object.get(index);
  if (Array.isArray(object) && typeof index === 'bigint') return object[arrayIndex(object, index)];
  if (typeof object === 'string' && typeof index === 'bigint') return characterAt(object, index);
  if (Array.isArray(object) || object instanceof Map) throw mismatch(index, Array.isArray(object) ? 'i64' : 'string');
  throw indexingType(object, index);
}

/** A loop runs over what there was when it began. */
function iterator(over: Value): Iterator<Value> {
  if (Array.isArray(over)) return [...over][Symbol.iterator]();
  if (typeof over === 'string') return characterIterator(over);
  if (over instanceof Range) return rangeIterator(over);
  throw new RhaiError('ErrorFor', `For loop expects iterable type, not ${typeName(over)}`);
}

function* characterIterator(text: string): Generator<Value> {
  for (const char of text) yield new Char(char);
}

function* rangeIterator({ from, to, inclusive }: Range): Generator<Value> {
  const end = inclusive ? to + 1n : to;
  for (let value = from; value < end; value++) yield value;
}
