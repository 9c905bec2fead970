// A line chart as SVG with logarithmic axes: flat and linear are told apart at a glance.

const WIDTH = 760;
const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 150;
const TOP = 40;
const BOTTOM = 50;
const COLOURS = ['#2563eb', '#059669', '#d97706', '#dc2626', '#7c3aed', '#475569', '#db2777', '#0e7490'];

const escaped = (text) => text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char]);

/** @param {{title: string, x: string, y: string, series: {name: string, points: [number, number][]}[]}} chart */
export function lineChart({ title, x, y, series }) {
  const points = series.flatMap((one) => one.points);
  const decade = (values, round) => round(Math.log10(values));
  const lowX = decade(Math.min(...points.map(([at]) => at)), Math.floor);
  const highX = Math.max(lowX + 1, decade(Math.max(...points.map(([at]) => at)), Math.ceil));
  const lowY = decade(Math.min(...points.map(([, value]) => value)), Math.floor);
  const highY = Math.max(lowY + 1, decade(Math.max(...points.map(([, value]) => value)), Math.ceil));
  const px = (value) => LEFT + ((Math.log10(value) - lowX) / (highX - lowX)) * (WIDTH - LEFT - RIGHT);
  const py = (value) => HEIGHT - BOTTOM - ((Math.log10(value) - lowY) / (highY - lowY)) * (HEIGHT - TOP - BOTTOM);
  const parts = [];
  for (let power = lowX; power <= highX; power++) {
    const at = px(10 ** power);
    parts.push(
      `<path class="grid" d="M${at} ${TOP}V${HEIGHT - BOTTOM}"/>`,
      `<text x="${at}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${(10 ** power).toLocaleString('en-US')}</text>`,
    );
  }
  for (let power = lowY; power <= highY; power++) {
    const at = py(10 ** power);
    parts.push(
      `<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/>`,
      `<text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${(10 ** power).toLocaleString('en-US')}</text>`,
    );
  }
  /** Where the last label ended of those series that end at the same x. */
  const labelAt = new Map();
  const last = (one) => py(one.points.at(-1)[1]);
  const shown = series
    .filter((one) => one.points.length > 0)
    .map((one, i) => ({ ...one, colour: COLOURS[i % COLOURS.length] }));
  for (const one of [...shown].sort((a, b) => last(a) - last(b))) {
    const path = one.points.map(([at, value], i) => `${i ? 'L' : 'M'}${px(at).toFixed(1)} ${py(value).toFixed(1)}`);
    const end = one.points.at(-1)[0];
    labelAt.set(end, Math.max(last(one) + 4, (labelAt.get(end) ?? 0) + 15));
    parts.push(
      `<path d="${path.join('')}" fill="none" stroke="${one.colour}" stroke-width="2"/>`,
      ...one.points.map(([at, value]) => `<circle cx="${px(at)}" cy="${py(value)}" r="3" fill="${one.colour}"/>`),
      `<text class="name" x="${px(end) + 10}" y="${labelAt.get(end)}" fill="${one.colour}">${escaped(one.name)}</text>`,
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>${escaped(title)}</title>
<style>.grid{stroke:#e5e7eb;fill:none}.name{paint-order:stroke;stroke:white;stroke-width:4px}</style><rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>
<text x="${LEFT}" y="22" font-size="14" font-weight="bold">${escaped(title)}</text>
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(x)}</text>
<text transform="translate(16 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>
${parts.join('\n')}
</svg>
`;
}
