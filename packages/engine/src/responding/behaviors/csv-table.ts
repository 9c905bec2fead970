// CSV files as `lookup` reads them: the first record names the columns; a record of another length, or one that is no CSV,
// ends the table. A file is parsed again only when its size or time of change differ.

import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Loaded with the first table: most processes have none, and a start is to be short. */
const parser = () => createRequire(import.meta.url)('csv-parse/sync') as typeof import('csv-parse/sync');

/** Value of a row in a column of its table. */
export type CsvRow = (column: string) => string;

export class CsvTable {
  /** Column names as in the file, each once. */
  readonly columns: readonly string[];
  readonly #positions = new Map<string, number>();
  readonly #rows: readonly (readonly string[])[];
  readonly #indexes = new Map<string, Map<string, readonly string[]> | undefined>();

  constructor(records: readonly (readonly string[])[]) {
    const header = records[0] ?? [];
    // When a name stands there twice, the last column of that name counts
    header.forEach((name, position) => {
      this.#positions.set(name, position);
    });
    this.columns = [...this.#positions.keys()];
    const end = records.findIndex((record) => record.length !== header.length);
    this.#rows = records.slice(1, end === -1 ? undefined : end);
  }

  /** The first row whose value in that column equals the key, as `localeCompare` sees it. */
  find(column: string, key: string): CsvRow | undefined {
    const row = this.#find(column, key);
    return row === undefined ? undefined : (name) => row[this.#positions.get(name)!]!;
  }

  #find(column: string, key: string): readonly string[] | undefined {
    const position = this.#positions.get(column)!;
    if (!this.#indexes.has(column)) this.#indexes.set(column, this.#index(position));
    const index = this.#indexes.get(column);
    if (index !== undefined && isPlain(key)) return index.get(key);
    return this.#rows.find((row) => row[position]!.localeCompare(key) === 0);
  }

  // Printable ASCII texts are equal under collation only if they are the same text; other texts need the comparison
  #index(position: number): Map<string, readonly string[]> | undefined {
    const index = new Map<string, readonly string[]>();
    for (const row of this.#rows) {
      const key = row[position]!;
      if (!isPlain(key)) return undefined;
      if (!index.has(key)) index.set(key, row);
    }
    return index;
  }
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

interface CachedTable {
  readonly version: string;
  readonly table: CsvTable;
}

const tables = new Map<string, CachedTable>();

/** Files kept in memory at once. */
const maxTables = 256;

/**
 * @param problem Told why there is no table.
 * @returns undefined when the file cannot be read.
 */
export async function readCsv(
  path: string,
  delimiter: string,
  problem: (reason: string) => void,
): Promise<CsvTable | undefined> {
  const name = `${delimiter}\n${path}`;
  try {
    const { size, mtimeMs, ino } = await stat(path);
    const version = `${size}:${mtimeMs}:${ino}`;
    const cached = tables.get(name);
    if (cached?.version === version) return cached.table;
    const table = new CsvTable(parseRecords(await readFile(path, 'utf8'), delimiter, problem));
    if (tables.size >= maxTables) tables.delete(tables.keys().next().value!);
    tables.set(name, { version, table });
    return table;
  } catch (error) {
    tables.delete(name);
    problem((error as Error).message);
    return undefined;
  }
}

function parseRecords(text: string, delimiter: string, problem: (reason: string) => void): string[][] {
  const records: string[][] = [];
  try {
    parser().parse(text, {
      bom: true,
      delimiter,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record: (record: string[]) => {
        records.push(record);
        return null;
      },
    });
  } catch (error) {
    problem((error as Error).message);
  }
  return records;
}
