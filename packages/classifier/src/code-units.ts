// UTF-16 code units as JavaScript's regular expressions without flag u see them: sets of them, and the case folding of
// flag i (ECMA-262, Canonicalize).

let table: Uint16Array | undefined;

/** By the definition: what a unit's upper case is, if that is one unit and not in ASCII for a unit outside of it. */
function foldByDefinition(unit: number): number {
  const upper = String.fromCharCode(unit).toUpperCase();
  const code = upper.charCodeAt(0);
  return upper.length !== 1 || (unit >= 128 && code < 128) ? unit : code;
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** Whether the engine's regular expressions take each of some units for the one it folds to. */
function agree(units: readonly number[], fold: Uint16Array): boolean {
  const pattern = new RegExp(`^${units.map(escaped).join('')}$`, 'i');
  return pattern.test(String.fromCharCode(...units.map((unit) => fold[unit])));
}

/**
 * For every code unit the one that stands for all that flag i takes for the same. An engine's regular expressions may
 * know an older Unicode than its strings (JavaScriptCore's do), so they are asked, all at once while they agree.
 */
export function foldTable(): Uint16Array {
  if (table === undefined) {
    const fold = new Uint16Array(0x10000);
    const folded: number[] = [];
    for (let unit = 0; unit < 0x10000; unit++) {
      fold[unit] = foldByDefinition(unit);
      if (fold[unit] !== unit) folded.push(unit);
    }
    if (!agree(folded, fold)) for (const unit of folded) if (!agree([unit], fold)) fold[unit] = unit;
    table = fold;
  }
  return table;
}

/** A text with every code unit folded as flag i does it. */
export function foldText(text: string): string {
  const fold = foldTable();
  let folded = '';
  for (let at = 0; at < text.length; at++) folded += String.fromCharCode(fold[text.charCodeAt(at)]);
  return folded;
}

/** A set of code units: pairs of first and last unit, ascending, neither touching nor overlapping. */
export type UnitSet = readonly number[];

const LAST = 0xffff;

export const everyUnit: UnitSet = [0, LAST];

/** The set of all units between the given pairs of first and last, in any order. */
export function unitSet(pairs: readonly (readonly [number, number])[]): UnitSet {
  const result: number[] = [];
  for (const [first, last] of [...pairs].sort((a, b) => a[0] - b[0])) {
    const end = result.length - 1;
    if (end > 0 && first <= result[end] + 1) result[end] = Math.max(result[end], last);
    else result.push(first, last);
  }
  return result;
}

export function complement(set: UnitSet): UnitSet {
  const result: number[] = [];
  let from = 0;
  for (let at = 0; at < set.length; at += 2) {
    if (set[at] > from) result.push(from, set[at] - 1);
    from = set[at + 1] + 1;
  }
  if (from <= LAST) result.push(from, LAST);
  return result;
}

export function sizeOf(set: UnitSet): number {
  let size = 0;
  for (let at = 0; at < set.length; at += 2) size += set[at + 1] - set[at] + 1;
  return size;
}

export function includes(set: UnitSet, unit: number): boolean {
  let low = 0;
  let high = set.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (unit < set[2 * middle]) high = middle - 1;
    else if (unit > set[2 * middle + 1]) low = middle + 1;
    else return true;
  }
  return false;
}

/** The units of a set, ascending. */
export function unitsIn(set: UnitSet): number[] {
  const units: number[] = [];
  for (let at = 0; at < set.length; at += 2) for (let unit = set[at]; unit <= set[at + 1]; unit++) units.push(unit);
  return units;
}

/** The folded units of a set, ascending. */
export function foldedUnits(set: UnitSet): number[] {
  const fold = foldTable();
  return [...new Set(unitsIn(set).map((unit) => fold[unit]))].sort((a, b) => a - b);
}

const closures = new Map<string, UnitSet>();

/** The set with every unit that flag i takes for the same as one of its members. */
export function foldClosure(set: UnitSet): UnitSet {
  const id = set.join();
  let closure = closures.get(id);
  if (closure === undefined) {
    const fold = foldTable();
    const wanted = new Uint8Array(0x10000);
    for (let at = 0; at < set.length; at += 2)
      for (let unit = set[at]; unit <= set[at + 1]; unit++) wanted[fold[unit]] = 1;
    const units: number[] = [];
    for (let unit = 0; unit <= LAST; unit++) {
      if (wanted[fold[unit]] === 0) continue;
      if (units.length > 0 && units[units.length - 1] === unit - 1) units[units.length - 1] = unit;
      else units.push(unit, unit);
    }
    closure = units;
    // a handful of classes make up nearly all patterns; the rest is computed again
    if (closures.size < 1000) closures.set(id, closure);
  }
  return closure;
}
