// Nanoseconds of CPU that finding the stub takes, without the wire: one stub of a shape against 1,000 of them, of which the
// last answers, and a request that none answers.
//   npm run build && node bench/matching/shapes.mjs [PART ...] [--wire=7000] [--ms=20] [--below=0.85]
// `left`: requests a CPU-second of 1,000 stubs against those of one stub, when everything else costs `wire` ns a request.
import { compilePredicate } from '../../packages/engine/dist/matching/compile.js';
import { Program } from '../../packages/engine/dist/matching/program.js';
import { HttpRequestView } from '../../packages/engine/dist/protocols/http/request-view.js';
import { KnownText } from '../../packages/http/dist/index.js';
import { predicateOf, requestOf, shapes } from '../predicate-shapes.mjs';

const N = 1000;
const ROUNDS = 6;
const option = (name, usual) =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual);
const [wire, ms, below] = [option('wire', 7000), option('ms', 20), option('below', 2)];
const parts = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const context = { encoding: 'utf8', scripts: undefined, logger: { enabled: () => false } };

/** A request as the wire layer gives it. */
function wireRequest({ method, target, headers, body }) {
  const given = Object.entries(headers).flat();
  const byName = new Map();
  for (let i = 0; i < given.length; i += 2) byName.set(given[i].toLowerCase(), given[i + 1]);
  return {
    method,
    target,
    knownTarget: new KnownText(target),
    rawHeaders: given,
    header: (name) => byName.get(name),
    visitHeaders: (visitor) => {
      for (let i = 0; i < given.length; i += 2) if (visitor.name(given[i].toLowerCase())) visitor.text(given[i + 1]);
    },
    repeats: () => false,
    body: Buffer.from(body),
    connection: { remoteAddress: '::1', remotePort: 9, localPort: 1, encrypted: false },
  };
}

function programOf(shape, indexes) {
  return Program.of(indexes.map((i) => ({ i, predicates: [compilePredicate(predicateOf(shape, i), context)] })));
}

/** Nanoseconds a match of each pair; the best of several windows in turn, because others use the machine as well. */
function measured(pairs) {
  const best = pairs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, [program, request, wanted]] of pairs.entries()) {
      const match = () => program.match(new HttpRequestView(request, request.body));
      if (match()?.i !== wanted) throw new Error(`found ${match()?.i} instead of ${wanted}`);
      let times = 0;
      const before = process.cpuUsage();
      const end = performance.now() + ms;
      while (performance.now() < end) for (let again = 0; again < 50; again++, times++) match();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) best[at] = Math.min(best[at], ((user + system) * 1000) / times);
    }
  }
  return best;
}

const rounded = (value) => value.toFixed(0).padStart(8);
for (const shape of shapes) {
  if (parts.length > 0 && !parts.some((part) => shape.name.includes(part))) continue;
  const most = shape.most ?? N;
  const last = most - 1;
  const one = programOf(shape, [last]);
  const many = programOf(
    shape,
    Array.from({ length: most }, (_, i) => i),
  );
  const times = measured([
    [one, wireRequest(requestOf(shape, last)), last],
    [many, wireRequest(requestOf(shape, last)), last],
    [one, wireRequest(requestOf(shape, most)), undefined],
    [many, wireRequest(requestOf(shape, most)), undefined],
  ]);
  const left = (wire + times[0]) / (wire + times[1]);
  const leftWithout = (wire + times[2]) / (wire + times[3]);
  if (Math.min(left, leftWithout) > below) continue;
  console.log(
    `${shape.name.padEnd(34)} match ${rounded(times[0])}${rounded(times[1])} left ${left.toFixed(2)}   none ${rounded(times[2])}${rounded(times[3])} left ${leftWithout.toFixed(2)}`,
  );
}
