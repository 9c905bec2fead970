import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDates } from './dates.js';
import { strftime } from './strftime.js';

const at = (now: string, text: string) => withDates(text, () => new Date(now));

test('days and months around a moment', () => {
  for (const [now, token, expected] of [
    ['2023-01-31T10:20:30.456Z', '{{NOW}}', '2023-01-31T10:20:30.456000+00:00'],
    ['2023-01-31T10:20:30.456Z', '{{MONTHS+1}}', '2023-02-28T10:20:30.456000+00:00'],
    ['2024-01-31T10:20:30.456Z', '{{MONTHS+1}}', '2024-02-29T10:20:30.456000+00:00'],
    ['2024-03-31T00:00:00.000Z', '{{MONTHS-1}}', '2024-02-29T00:00:00.000000+00:00'],
    ['2024-02-29T00:00:00.000Z', '{{MONTHS+12}}', '2025-02-28T00:00:00.000000+00:00'],
    ['2024-12-31T00:00:00.000Z', '{{MONTHS+2}}', '2025-02-28T00:00:00.000000+00:00'],
    ['2024-02-28T23:00:00.000Z', '{{DAYS+2}}', '2024-03-01T23:00:00.000000+00:00'],
    ['2024-01-01T00:00:00.000Z', '{{DAYS-1}}', '2023-12-31T00:00:00.000000+00:00'],
    ['2024-01-01T00:00:00.000Z', '{{MONTHS+0}}', '2024-01-01T00:00:00.000000+00:00'],
    ['2024-01-01T00:00:00.000Z', '{{DAYS+3000000}}', '+10237-09-21T00:00:00.000000+00:00'],
  ] as const) {
    assert.equal(at(now, `<${token}>`), `<${expected}>`, `${token} of ${now}`);
  }
});

test('every directive', () => {
  const afternoon = new Date('2024-03-05T14:07:09.045Z');
  for (const [format, expected] of [
    ['%Y-%m-%d', '2024-03-05'],
    ['%y', '24'],
    ['[%e]', '[ 5]'],
    ['%H:%M:%S', '14:07:09'],
    ['%I %p', '02 PM'],
    ['%j', '065'],
    ['%a %A %b %B', 'Tue Tuesday Mar March'],
    ['%Z %z %:z', 'UTC +0000 +00:00'],
    ['%s', '1709647629'],
    ['%f', '045000000'],
    ['%3f %6f %9f', '045 045000 045000000'],
    ['%S%.3f %S%.6f', '09.045 09.045000'],
    ['%T %F %R %D', '14:07:09 2024-03-05 14:07 03/05/24'],
    ['a%nb%tc%%', 'a\nb\tc%'],
    ['no directive', 'no directive'],
  ] as const) {
    assert.equal(strftime(format)!(afternoon), expected, format);
  }
  assert.equal(strftime('%I %p')!(new Date('2024-03-05T00:00:00Z')), '12 AM');
});

test('other directives and a dangling percent are errors', () => {
  for (const format of ['%Q', '%', 'x %', '%4f', '%.9f', '%:', '%.']) assert.equal(strftime(format), undefined, format);
});
