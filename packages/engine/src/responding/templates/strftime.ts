// Dates by a format of strftime directives, in UTC, names in English.

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

type Part = (date: Date) => string;

const padded = (width: number, read: (date: Date) => number, fill = '0') => {
  return (date: Date) => String(read(date)).padStart(width, fill);
};
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12;
const year: Part = (date) => {
  const number = date.getUTCFullYear();
  if (number > 9999) return `+${number}`;
  return number < 0 ? `-${String(-number).padStart(4, '0')}` : String(number).padStart(4, '0');
};
const dayOfYear = (date: Date) =>
  (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) /
    86_400_000 +
  1;
/** Digits of the second's fraction. */
const fraction = (digits: number, before = '') => {
  return (date: Date) =>
    before + String(date.getUTCMilliseconds()).padStart(3, '0').padEnd(digits, '0').slice(0, digits);
};

const month = padded(2, (date) => date.getUTCMonth() + 1);
const day = padded(2, (date) => date.getUTCDate());
const hour = padded(2, (date) => date.getUTCHours());
const minute = padded(2, (date) => date.getUTCMinutes());
const second = padded(2, (date) => date.getUTCSeconds());
const shortYear = padded(2, (date) => ((date.getUTCFullYear() % 100) + 100) % 100);
const join = (separator: string, ...parts: Part[]): Part => {
  return (date) => parts.map((part) => part(date)).join(separator);
};

/** Longest first where one begins another. */
const DIRECTIVES: { readonly [directive: string]: Part } = {
  Y: year,
  y: shortYear,
  m: month,
  d: day,
  e: padded(2, (date) => date.getUTCDate(), ' '),
  H: hour,
  I: padded(2, hour12),
  M: minute,
  S: second,
  p: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  j: padded(3, dayOfYear),
  a: (date) => DAYS[date.getUTCDay()].slice(0, 3),
  A: (date) => DAYS[date.getUTCDay()],
  b: (date) => MONTHS[date.getUTCMonth()].slice(0, 3),
  B: (date) => MONTHS[date.getUTCMonth()],
  Z: () => 'UTC',
  z: () => '+0000',
  ':z': () => '+00:00',
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  f: fraction(9),
  '3f': fraction(3),
  '6f': fraction(6),
  '9f': fraction(9),
  '.3f': fraction(3, '.'),
  '.6f': fraction(6, '.'),
  T: join(':', hour, minute, second),
  F: join('-', year, month, day),
  R: join(':', hour, minute),
  D: join('/', month, day, shortYear),
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

const LONGEST_DIRECTIVE = 3;

/** @returns What writes a date in the format; undefined when the format has a directive that is not known. */
export function strftime(format: string): ((date: Date) => string) | undefined {
  const parts: (string | Part)[] = [];
  for (let at = 0; at < format.length; ) {
    const percent = format.indexOf('%', at);
    if (percent === -1) {
      parts.push(format.slice(at));
      break;
    }
    if (percent > at) parts.push(format.slice(at, percent));
    let length = LONGEST_DIRECTIVE;
    while (length > 0 && !Object.hasOwn(DIRECTIVES, format.slice(percent + 1, percent + 1 + length))) length--;
    if (length === 0) return undefined;
    parts.push(DIRECTIVES[format.slice(percent + 1, percent + 1 + length)]);
    at = percent + 1 + length;
  }
  return (date) => parts.map((part) => (typeof part === 'string' ? part : part(date))).join('');
}
