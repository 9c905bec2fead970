// What the directory of an imposter holds, in Mountebank's layout. Whatever is missing or no JSON is told and left out; only
// without a readable `imposter.json` there is no imposter.
import { isAbsolute, join, relative } from 'node:path';
import { type ImposterJson, type JsonObject, type Logger, type Stub, type StubJson, servings } from '@rift-ts/engine';
import { atMost, CorruptedDatabase, readAllJson, readJson } from './files.js';
import { type KeptStub, positionOf } from './stub-files.js';

export type MatchRecord = Stub['matches'][number];

export interface LoadedStub extends KeptStub {
  readonly position: number;
  readonly matches: readonly MatchRecord[];
  readonly json: StubJson;
}

export interface Loaded {
  readonly path: string;
  readonly creation: ImposterJson;
  readonly stubs: readonly LoadedStub[];
  readonly requests: readonly { readonly path: string; readonly content: unknown }[];
}

/** All of it. @throws CorruptedDatabase when the imposter itself cannot be read */
export async function readFolder(path: string, logger: Logger): Promise<Loaded> {
  const { settings, stubs } = await readStubs(path, logger);
  const requests = await readAllJson(join(path, 'requests'), (error) => logger.error(error.line));
  const creation = { ...settings, stubs: stubs.map(({ json }) => json) } as unknown as ImposterJson;
  return { path, creation, stubs, requests: requests.filter(({ content }) => isObject(content)) };
}

/** Without recorded requests. @throws CorruptedDatabase when the imposter itself cannot be read */
export async function readStubs(path: string, logger: Logger): Promise<{ settings: JsonObject; stubs: LoadedStub[] }> {
  const unreadable = (error: CorruptedDatabase) => logger.error(error.line);
  const file = join(path, 'imposter.json');
  const { stubs: entries, ...settings } = objectOf(await readJson(file), file);
  const read = await atMost(16, Array.isArray(entries) ? entries : [], async (entry) => {
    try {
      return await readStub(path, objectOf(entry, file), unreadable);
    } catch (error) {
      if (!(error instanceof CorruptedDatabase)) throw error;
      unreadable(error);
      return undefined;
    }
  });
  return { settings, stubs: read.filter((stub) => stub !== undefined) };
}

async function readStub(
  path: string,
  entry: JsonObject,
  unreadable: (error: CorruptedDatabase) => void,
): Promise<LoadedStub> {
  const { meta: place, ...rest } = entry;
  const dir = isObject(place) && typeof place.dir === 'string' ? place.dir : '';
  checkInside(path, dir, join(path, 'imposter.json'));
  const file = join(path, dir, 'meta.json');
  const meta = objectOf(await readJson(file), file);
  const kept: KeptStub = { dir, responseFiles: [], servings: [] };
  const responses: JsonObject[] = [];
  for (const name of Array.isArray(meta.responseFiles) ? meta.responseFiles : []) {
    try {
      checkInside(join(path, dir), String(name), file);
      const responseFile = join(path, dir, String(name));
      const response = objectOf(await readJson(responseFile), responseFile);
      responses.push(response);
      kept.responseFiles.push(String(name));
      kept.servings.push(servings(response));
    } catch (error) {
      if (!(error instanceof CorruptedDatabase)) throw error;
      unreadable(error);
    }
  }
  const matches = await readAllJson(join(path, dir, 'matches'), unreadable);
  const order = Array.isArray(meta.orderWithRepeats) ? meta.orderWithRepeats.map(Number) : [];
  return {
    ...kept,
    position: positionOf(kept, order, Number(meta.nextIndex) || 0),
    matches: matches.map(({ content }) => content as MatchRecord),
    json: { ...rest, responses } as StubJson,
  };
}

/** What a stub names is written and removed with it: nothing outside may be named. @throws CorruptedDatabase */
function checkInside(directory: string, name: string, file: string): void {
  const inner = relative(directory, join(directory, name));
  if (!/^\.\.(?:[\\/]|$)/.test(inner) && !isAbsolute(inner)) return;
  throw new CorruptedDatabase(
    `'${name}' in ${file} leads out of ${directory}`,
    `invalid path in ${file}`,
    'not inside',
  );
}

function objectOf(value: unknown, file: string): JsonObject {
  if (isObject(value)) return value;
  throw new CorruptedDatabase(`invalid JSON for ${file}`, `invalid JSON in ${file}`, 'not an object');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
