// From tokens to the tree of a program. What the subset leaves out is refused here, by name, so that nothing is guessed
// when the program runs.

import type { BinaryOperator, Block, Expression, FunctionDefinition, Program, SwitchArm } from './ast.js';
import { type Position, RhaiSyntaxError } from './errors.js';
import { type Token, tokenize, unsupported } from './lexer.js';
import { Char } from './values.js';

/** Throws RhaiSyntaxError. */
export function parseRhai(text: string): Program {
  const functions = new Map<string, FunctionDefinition>();
  const tokens = tokenize(text);
  const main = new Parser(tokens, functions).program();
  return { main, functions };
}

/** Binding strength, weakest first. */
const levels: readonly (readonly string[])[] = [
  ['||', '|', '^'],
  ['&&', '&'],
  ['==', '!='],
  ['in', '!in'],
  ['<', '<=', '>', '>='],
  ['??'],
  ['..', '..='],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
  ['<<', '>>'],
];
const levelOf = new Map(levels.flatMap((operators, level) => operators.map((operator) => [operator, level] as const)));
/** Patterns of `switch` are separated by `|`. */
const abovePipe = 1;

const assignments = new Set(['=', '+=', '-=', '*=', '/=', '%=', '**=', '<<=', '>>=', '&=', '|=', '^=']);

/** Functions that make what the subset does not have. */
const refusedCalls = new Set(['Fn', 'curry', 'timestamp', 'blob', 'eval']);

/** How deep expressions may be nested. */
const maxDepth = 100;

class Parser {
  readonly #tokens: readonly Token[];
  readonly #functions: Map<string, FunctionDefinition>;
  #at = 0;
  #depth = 0;
  #inFunction: boolean;
  #inLoop = false;
  /** Names used since the innermost closure began. */
  #names = new Set<string>();

  constructor(tokens: readonly Token[], functions: Map<string, FunctionDefinition>, inFunction = false) {
    this.#tokens = tokens;
    this.#functions = functions;
    this.#inFunction = inFunction;
  }

  program(): Block {
    return this.#statements('end', true);
  }

  // --- tokens ----------------------------------------------------------------------------------------------------------

  get #token(): Token {
    return this.#tokens[this.#at]!;
  }

  #next(): Token {
    return this.#tokens[this.#at++]!;
  }

  #is(text: string): boolean {
    const token = this.#token;
    return (token.kind === 'operator' || token.kind === 'word') && token.text === text;
  }

  #accept(text: string): boolean {
    const found = this.#is(text);
    if (found) this.#at++;
    return found;
  }

  #expect(text: string, purpose: string): Token {
    if (!this.#is(text)) this.#fail(`Expecting '${text}' ${purpose}`);
    return this.#next();
  }

  #fail(reason: string, position: Position = this.#token.position): never {
    throw new RhaiSyntaxError(reason, position);
  }

  #unexpected(): never {
    const token = this.#token;
    if (token.kind === 'end') this.#fail('Script is incomplete');
    this.#fail(`Unexpected '${token.kind === 'template' ? '`' : token.text}'`);
  }

  #name(what: string): string {
    const token = this.#token;
    if (token.kind !== 'name') this.#fail(`Expecting ${what}${token.text === '' ? '' : `, not '${token.text}'`}`);
    if (/^_+$/.test(token.text)) this.#fail(`'${token.text}' is no name`);
    this.#at++;
    return token.text;
  }

  // --- statements ------------------------------------------------------------------------------------------------------

  #statements(close: '}' | 'end', global = false): Block {
    const { position } = this.#token;
    const statements: Expression[] = [];
    let yields = false;
    for (;;) {
      if (close === 'end' ? this.#token.kind === 'end' : this.#is(close)) break;
      if (this.#accept(';')) {
        yields = false;
        continue;
      }
      if (this.#is('fn')) {
        if (!global) this.#fail('Functions can only be defined at global level');
        this.#function();
        continue;
      }
      const statement = this.#statement();
      statements.push(statement);
      yields = true;
      if (this.#accept(';')) yields = false;
      else if (!(close === 'end' ? this.#token.kind === 'end' : this.#is(close)) && !endsInBlock(statement)) {
        if (this.#token.kind === 'end') this.#fail(`Expecting '${close}' to end this block`);
        this.#fail("Expecting ';' to terminate this statement");
      }
    }
    return { kind: 'block', position, statements, yields };
  }

  #block(purpose: string): Block {
    const { position } = this.#expect('{', purpose);
    const block = this.#deeper(() => this.#statements('}'));
    this.#at++;
    return { ...block, position };
  }

  #deeper<T>(parse: () => T): T {
    if (++this.#depth > maxDepth) this.#fail('Expression exceeds maximum complexity');
    const result = parse();
    this.#depth--;
    return result;
  }

  #loopBody(purpose: string): Block {
    const outer = this.#inLoop;
    this.#inLoop = true;
    const body = this.#block(purpose);
    this.#inLoop = outer;
    return body;
  }

  #function(): void {
    const { position } = this.#next();
    const name = this.#name('the name of the function');
    if (refusedCalls.has(name)) throw unsupported(name, position);
    const parameters: string[] = [];
    this.#expect('(', 'to start the parameters');
    while (!this.#is(')')) {
      parameters.push(this.#name('a parameter'));
      if (!this.#accept(',')) break;
    }
    this.#expect(')', 'to close the parameters');
    if (new Set(parameters).size < parameters.length)
      this.#fail(`Duplicated parameter in function '${name}'`, position);
    const key = `${name}/${parameters.length}`;
    if (this.#functions.has(key)) this.#fail(`Function '${name}' is already defined`, position);
    const { inFunction, inLoop } = { inFunction: this.#inFunction, inLoop: this.#inLoop };
    this.#inFunction = true;
    this.#inLoop = false;
    const body = this.#block('to start the body of the function');
    this.#inFunction = inFunction;
    this.#inLoop = inLoop;
    this.#functions.set(key, { name, parameters, body, position });
  }

  #statement(): Expression {
    const token = this.#token;
    const { position } = token;
    if (token.kind === 'word') {
      switch (token.text) {
        case 'let':
        case 'const':
          return this.#let();
        case 'break':
          if (!this.#inLoop) this.#fail("'break' is only allowed in a loop");
          this.#at++;
          return { kind: 'break', position, value: this.#ended() ? undefined : this.#expression() };
        case 'continue':
          if (!this.#inLoop) this.#fail("'continue' is only allowed in a loop");
          this.#at++;
          return { kind: 'continue', position };
        case 'return':
        case 'throw':
          this.#at++;
          return { kind: token.text, position, value: this.#ended() ? undefined : this.#expression() };
        case 'try':
          return this.#try();
        case 'if':
        case 'while':
        case 'loop':
        case 'do':
        case 'for':
        case 'switch':
          // A statement that ends in a block is complete there; `if a {} + 1` is two statements
          return this.#afterBlock(this.#primary());
      }
    }
    if (this.#is('{')) return this.#afterBlock(this.#block('to start a block'));
    const target = this.#expression();
    const operator = this.#token;
    if (operator.kind !== 'operator' || !assignments.has(operator.text)) return target;
    this.#at++;
    checkTarget(target, operator.position);
    return {
      kind: 'assign',
      position: operator.position,
      target,
      operator: operator.text === '=' ? undefined : (operator.text.slice(0, -1) as BinaryOperator),
      value: this.#expression(),
    };
  }

  /** `if … { … }.header(…)` and `switch … { … }.len()` go on as one expression. */
  #afterBlock(statement: Expression): Expression {
    return this.#is('.') || this.#is('?.') ? this.#postfix(statement) : statement;
  }

  #ended(): boolean {
    return this.#token.kind === 'end' || this.#is(';') || this.#is('}') || this.#is(',') || this.#is(')');
  }

  #let(): Expression {
    const { text, position } = this.#next();
    const name = this.#name('the name of a variable');
    const value = this.#accept('=') ? this.#expression() : undefined;
    return { kind: 'let', position, name, constant: text === 'const', value };
  }

  #try(): Expression {
    const { position } = this.#next();
    const body = this.#block("to start the block of 'try'");
    this.#expect('catch', "after the block of 'try'");
    let name: string | undefined;
    if (this.#accept('(')) {
      name = this.#name('the name of a variable');
      this.#expect(')', "to close the variable of 'catch'");
    }
    return { kind: 'try', position, body, name, handler: this.#block("to start the block of 'catch'") };
  }

  // --- expressions -----------------------------------------------------------------------------------------------------

  #expression(level = 0): Expression {
    return this.#deeper(() => this.#binary(level));
  }

  #binary(level: number): Expression {
    let left = this.#unary();
    for (;;) {
      const token = this.#token;
      const binding = token.kind === 'operator' || token.text === 'in' ? levelOf.get(token.text) : undefined;
      if (binding === undefined || binding < level || (token.kind !== 'operator' && token.kind !== 'word')) return left;
      this.#at++;
      const right = this.#expression(token.text === '**' ? binding : binding + 1);
      left = combine(token.text, token.position, left, right);
    }
  }

  #unary(): Expression {
    const token = this.#token;
    const { position } = token;
    if (token.kind !== 'operator' || !['-', '+', '!'].includes(token.text)) return this.#postfix(this.#primary());
    this.#at++;
    const number = this.#token;
    if (token.text === '-' && (number.kind === 'int' || number.kind === 'float')) {
      this.#at++;
      const value = number.kind === 'int' ? -number.int! : -number.float!;
      return this.#postfix({ kind: 'literal', position, value });
    }
    const operand = this.#deeper(() => this.#unary());
    return { kind: 'unary', position, operator: token.text as '-' | '+' | '!', operand };
  }

  #postfix(start: Expression): Expression {
    let object = start;
    for (;;) {
      const token = this.#token;
      if (token.kind !== 'operator') return object;
      const { position } = token;
      switch (token.text) {
        case '.':
        case '?.': {
          this.#at++;
          const safe = token.text === '?.';
          const member = this.#token;
          const name = this.#name('the name of a property');
          if (refusedCalls.has(name)) throw unsupported(name, member.position);
          object = this.#is('(')
            ? { kind: 'method', position: member.position, object, name, args: this.#arguments(), safe }
            : { kind: 'property', position: member.position, object, name, safe };
          continue;
        }
        case '[':
        case '?[': {
          this.#at++;
          const index = this.#expression();
          this.#expect(']', 'to close the index');
          object = { kind: 'index', position, object, index, safe: token.text === '?[' };
          continue;
        }
        default:
          return object;
      }
    }
  }

  #arguments(): Expression[] {
    const args: Expression[] = [];
    this.#expect('(', 'to start the arguments');
    while (!this.#is(')')) {
      args.push(this.#expression());
      if (!this.#accept(',')) break;
    }
    this.#expect(')', 'to close the arguments');
    return args;
  }

  #primary(): Expression {
    const token = this.#next();
    const { position } = token;
    switch (token.kind) {
      case 'int':
        if (token.int! >= 2n ** 63n) this.#fail(`Invalid number: '${token.text}'`, position);
        return { kind: 'literal', position, value: token.int };
      case 'float':
        return { kind: 'literal', position, value: token.float };
      case 'string':
        return { kind: 'literal', position, value: token.text };
      case 'char':
        return { kind: 'literal', position, value: new Char(token.text) };
      case 'template':
        return this.#template(token);
      case 'name':
        return this.#nameOrCall(token);
      case 'word':
        return this.#word(token);
      case 'operator':
        return this.#bracketed(token);
      case 'end':
        this.#at--;
        this.#unexpected();
    }
  }

  #template(token: Token): Expression {
    const parts = token.parts!.map((part) => {
      if (typeof part === 'string') return part;
      const inner = new Parser(part, this.#functions, this.#inFunction);
      inner.#depth = this.#depth + 1;
      const block = inner.#statements('end');
      for (const name of inner.#names) this.#names.add(name);
      return block;
    });
    return { kind: 'template', position: token.position, parts };
  }

  #nameOrCall(token: Token): Expression {
    const { text: name, position } = token;
    if (this.#is('(')) {
      if (refusedCalls.has(name)) throw unsupported(name, position);
      this.#names.add(name);
      return { kind: 'call', position, name, args: this.#arguments() };
    }
    if (/^_+$/.test(name)) this.#fail(`'${name}' is no name`, position);
    this.#names.add(name);
    return { kind: 'variable', position, name };
  }

  #word({ text, position }: Token): Expression {
    switch (text) {
      case 'true':
      case 'false':
        return { kind: 'literal', position, value: text === 'true' };
      case 'this':
        if (!this.#inFunction) throw unsupported('this', position);
        this.#names.add('this');
        return { kind: 'this', position };
      case 'if': {
        const condition = this.#expression();
        const then = this.#block("to start the block of 'if'");
        let otherwise: Expression | undefined;
        if (this.#accept('else')) {
          otherwise = this.#is('if')
            ? this.#deeper(() => this.#primary())
            : this.#block("to start the block of 'else'");
        }
        return { kind: 'if', position, condition, then, otherwise };
      }
      case 'switch':
        return this.#switch(position);
      case 'while':
        return {
          kind: 'while',
          position,
          condition: this.#expression(),
          body: this.#loopBody("to start the block of 'while'"),
        };
      case 'loop':
        return { kind: 'while', position, condition: undefined, body: this.#loopBody("to start the block of 'loop'") };
      case 'do': {
        const body = this.#loopBody("to start the block of 'do'");
        const until = this.#is('until');
        if (!until) this.#expect('while', "or 'until' after the block of 'do'");
        else this.#at++;
        return { kind: 'do', position, body, until, condition: this.#expression() };
      }
      case 'for':
        return this.#for(position);
      default:
        this.#at--;
        this.#unexpected();
    }
  }

  #for(position: Position): Expression {
    let variable: string;
    let counter: string | undefined;
    if (this.#accept('(')) {
      variable = this.#name('the name of a variable');
      this.#expect(',', 'after the variable');
      counter = this.#name('the name of the counter');
      this.#expect(')', 'to close the variables');
    } else variable = this.#name('the name of a variable');
    this.#expect('in', "after the variable of 'for'");
    const over = this.#expression();
    return { kind: 'for', position, variable, counter, over, body: this.#loopBody("to start the block of 'for'") };
  }

  #switch(position: Position): Expression {
    const subject = this.#expression();
    this.#expect('{', "to start the arms of 'switch'");
    const arms: SwitchArm[] = [];
    while (!this.#is('}')) {
      const last = arms.at(-1);
      if (last !== undefined && last.patterns === undefined) this.#fail("The arm of '_' must be the last one");
      arms.push(this.#arm());
      if (this.#accept(',')) continue;
      if (!this.#is('}') && !endsInBlock(arms.at(-1)!.body))
        this.#fail("Expecting ',' to separate the arms of 'switch'");
    }
    this.#at++;
    return { kind: 'switch', position, subject, arms };
  }

  #arm(): SwitchArm {
    const token = this.#token;
    let patterns: Expression[] | undefined;
    if (token.kind === 'name' && token.text === '_') {
      this.#at++;
      if (this.#is('if')) this.#fail("The arm of '_' cannot have a condition");
    } else {
      patterns = [];
      do {
        const pattern = this.#expression(abovePipe);
        if (!isConstant(pattern)) this.#fail("Expecting a literal in the arm of 'switch'", pattern.position);
        patterns.push(pattern);
      } while (this.#accept('|'));
    }
    const guard = this.#accept('if') ? this.#expression() : undefined;
    this.#expect('=>', "in the arm of 'switch'");
    return { patterns, guard, body: this.#statement() };
  }

  #bracketed(token: Token): Expression {
    const { position } = token;
    switch (token.text) {
      case '(': {
        if (this.#accept(')')) return { kind: 'literal', position, value: undefined };
        const inner = this.#expression();
        this.#expect(')', 'to close the parenthesis');
        return inner;
      }
      case '[': {
        const items: Expression[] = [];
        while (!this.#is(']')) {
          items.push(this.#expression());
          if (!this.#accept(',')) break;
        }
        this.#expect(']', 'to end this array');
        return { kind: 'array', position, items };
      }
      case '#{':
        return this.#map(position);
      case '{':
        this.#at--;
        return this.#block('to start a block');
      case '|':
      case '||':
        return this.#closure(token);
      default:
        this.#at--;
        this.#unexpected();
    }
  }

  #map(position: Position): Expression {
    const entries: [string, Expression][] = [];
    const names = new Set<string>();
    while (!this.#is('}')) {
      const token = this.#token;
      if (token.kind !== 'name' && token.kind !== 'string') this.#fail('Expecting the name of a property');
      this.#at++;
      if (names.has(token.text)) this.#fail(`Duplicated property '${token.text}'`, token.position);
      names.add(token.text);
      this.#expect(':', `after property '${token.text}'`);
      entries.push([token.text, this.#expression()]);
      if (!this.#accept(',')) break;
    }
    this.#expect('}', 'to end this object map');
    return { kind: 'map', position, entries };
  }

  #closure({ text, position }: Token): Expression {
    const parameters: string[] = [];
    if (text === '|') {
      while (!this.#is('|')) {
        parameters.push(this.#name('a parameter'));
        if (!this.#accept(',')) break;
      }
      this.#expect('|', 'to close the parameters');
    }
    const {
      names: outer,
      inFunction,
      inLoop,
    } = {
      names: this.#names,
      inFunction: this.#inFunction,
      inLoop: this.#inLoop,
    };
    this.#names = new Set();
    this.#inFunction = true;
    this.#inLoop = false;
    const body = this.#expression();
    const free = [...this.#names].filter((name) => !parameters.includes(name));
    this.#names = outer;
    for (const name of free) outer.add(name);
    this.#inFunction = inFunction;
    this.#inLoop = inLoop;
    return { kind: 'closure', position, parameters, body, free };
  }
}

function endsInBlock(expression: Expression): boolean {
  return ['block', 'if', 'switch', 'while', 'for', 'try'].includes(expression.kind);
}

function isConstant(pattern: Expression): boolean {
  switch (pattern.kind) {
    case 'literal':
      return true;
    case 'array':
      return pattern.items.every(isConstant);
    case 'map':
      return pattern.entries.every(([, item]) => isConstant(item));
    case 'unary':
      return isConstant(pattern.operand);
    case 'binary':
      return isConstant(pattern.left) && isConstant(pattern.right);
    default:
      return false;
  }
}

function checkTarget(target: Expression, position: Position): void {
  const assignable =
    ['variable', 'this'].includes(target.kind) ||
    ((target.kind === 'property' || target.kind === 'index') && !target.safe);
  if (!assignable) throw new RhaiSyntaxError('Cannot assign to this expression', position);
}

function combine(operator: string, position: Position, left: Expression, right: Expression): Expression {
  switch (operator) {
    case '&&':
    case '||':
    case '??':
      return { kind: 'logic', operator, position, left, right };
    case 'in':
    case '!in':
      return { kind: 'in', negated: operator === '!in', position, left, right };
    default:
      return { kind: 'binary', operator: operator as BinaryOperator, position, left, right };
  }
}
