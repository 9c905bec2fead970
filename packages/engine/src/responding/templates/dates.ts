// Date tokens: `{{NOW}}`, `{{DAYS+n}}`, `{{MONTHS-n}}`, exactly so. All tokens of one body are made from one "now".

const MS_PER_DAY = 86_400_000;
/** Months before and after the epoch in which every day is a date. */
const MOST_MONTHS = 12 * 269_000;

/** A token, its unit, sign and digits; the last three are undefined for NOW. To be used with `replace` or `matchAll`. */
export const DATE_TOKEN = /\{\{(?:NOW|(DAYS|MONTHS)([+-])(\d+))\}\}/g;

/** The text of a token; undefined when its date is out of range. */
export function dateText(
  now: Date,
  unit: string | undefined,
  sign: string | undefined,
  digits: string | undefined,
): string | undefined {
  const count = digits === undefined ? 0 : Number(`${sign}${digits}`);
  const date = unit === 'MONTHS' ? addMonths(now, count) : new Date(now.getTime() + count * MS_PER_DAY);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : rfc3339(date);
}

/** With its date tokens replaced; the very same text when there are none. */
export function withDates(text: string, now: () => Date, tokens: RegExp = DATE_TOKEN): string {
  if (!text.includes('{{')) return text;
  return text.replace(
    tokens,
    (token, unit?: string, sign?: string, digits?: string) => dateText(now(), unit, sign, digits) ?? token,
  );
}

/** UTC with microseconds and offset, e.g. `2024-05-06T07:08:09.010000+00:00`. */
export function rfc3339(date: Date): string {
  return `${date
    .toISOString()
    .slice(0, -1)
    .replace(/^\+0*(?=\d{5})/, '+')}000+00:00`;
}

/** So many calendar months later, the day clamped to the last day of that month. */
function addMonths(date: Date, months: number): Date | undefined {
  if (Math.abs(months) > MOST_MONTHS) return undefined;
  const day = date.getUTCDate();
  const moved = new Date(date);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  moved.setUTCDate(Math.min(day, daysIn(moved)));
  return moved;
}

function daysIn(date: Date): number {
  const next = new Date(date);
  next.setUTCDate(1);
  next.setUTCMonth(next.getUTCMonth() + 1);
  next.setUTCDate(0);
  return next.getUTCDate();
}
