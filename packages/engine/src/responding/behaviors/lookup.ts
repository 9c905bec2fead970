// `lookup`: a row of a CSV file, found by a value of the request, fills tokens in the response. Nothing about the file can
// fail the request: tokens stay, the log says why.

import { resolve } from 'node:path';
import type { ResponseData } from '../../model/types.js';
import type { RequestView } from '../../request-view.js';
import type { Behavior, BehaviorContext } from './context.js';
import { type CsvRow, type CsvTable, readCsv } from './csv-table.js';
import { compileSelection, type Using } from './selection.js';
import { substitute } from './substitution.js';

interface LookupJson {
  readonly key: { readonly from: unknown; readonly using: Using; readonly index?: unknown };
  readonly fromDataSource: {
    readonly csv: { readonly path: string; readonly keyColumn: string; readonly delimiter?: string };
  };
  readonly into: string;
}

export function compileLookup(value: unknown, context: BehaviorContext): Behavior {
  const { key, fromDataSource, into: token } = value as LookupJson;
  const { csv } = fromDataSource;
  const path = resolve(context.workingDirectory, csv.path);
  const delimiter = csv.delimiter || ',';
  const keys = compileKeys(key, context);
  return async (view, data) => {
    const candidates = await keys(view);
    if (candidates.length === 0) return data;
    const table = await readCsv(path, delimiter, (reason) =>
      context.logger.error('Cannot read %s: %s', csv.path, reason),
    );
    if (table === undefined) return data;
    if (!table.columns.includes(csv.keyColumn)) {
      context.logger.error(
        'CSV headers "%s" with delimiter "%s" does not contain keyColumn:"%s"',
        table.columns.join(),
        delimiter,
        csv.keyColumn,
      );
      return data;
    }
    for (const candidate of candidates) {
      const row = table.find(csv.keyColumn, candidate);
      if (row !== undefined) return fill(data, token, table, row);
    }
    return data;
  };
}

/** Keys to look for, the best first. */
function compileKeys(
  key: LookupJson['key'],
  { profile, logger }: BehaviorContext,
): (view: RequestView) => Promise<readonly string[]> {
  const select = compileSelection(key.from, key.using, logger);
  const index = key.index === undefined ? undefined : Number(key.index);
  return async (view) => {
    const values = await select(view);
    if (index !== undefined) return values[index] === undefined ? [] : [values[index]];
    if (key.using.method !== 'regex' || values.length < 2) return values.slice(0, 1);
    // A regex with groups and no index: Rift means the first group, Mountebank the whole match
    return profile === 'rift' ? [values[1]!] : [values[0]!, values[1]!];
  };
}

function fill(data: ResponseData, token: string, table: CsvTable, row: CsvRow): ResponseData {
  return substitute(data, (text) => {
    if (!text.includes(token)) return text;
    let result = text;
    for (const column of table.columns) {
      for (const quote of ['"', "'", '']) {
        result = result.replaceAll(`${token}[${quote}${column}${quote}]`, () => row(column));
      }
    }
    return result;
  });
}
