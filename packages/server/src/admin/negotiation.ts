// Content negotiation of the pages that exist as JSON and as HTML (RFC 9110 section 12.5.1), with Mountebank's
// rulings: JSON is offered first, and on equal quality the order in the client's header decides.

export type Representation = 'json' | 'html';

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly position: number;
}

const offers: readonly { representation: Representation; type: string; subtype: string }[] = [
  { representation: 'json', type: 'application', subtype: 'json' },
  { representation: 'html', type: 'text', subtype: 'html' },
];

function parse(accept: string): Range[] {
  return accept.split(',').flatMap((part, position) => {
    const [range, ...parameters] = part.split(';').map((piece) => piece.trim());
    const types = /^([^\s/]+)\/([^\s/]+)$/.exec(range!);
    if (types === null) return [];
    let quality = 1;
    for (const parameter of parameters) {
      const q = /^q\s*=\s*"?([\d.]+)"?$/i.exec(parameter);
      if (q !== null) quality = Number.parseFloat(q[1]!);
    }
    return [{ type: types[1]!.toLowerCase(), subtype: types[2]!.toLowerCase(), quality, position }];
  });
}

function specificity(range: Range, offer: { type: string; subtype: string }): number {
  if (range.type === offer.type) {
    if (range.subtype === offer.subtype) return 3;
    if (range.subtype === '*') return 2;
    return 0;
  }
  return range.type === '*' && range.subtype === '*' ? 1 : 0;
}

/** The representation to send, or undefined when the client accepts neither (406). */
export function negotiate(accept: string | undefined, userAgent: string | undefined): Representation | undefined {
  const asked = accept ?? '';
  // old Internet Explorers ask for everything but HTML
  const effective =
    userAgent?.includes('MSIE') === true && !asked.includes('application/json') ? 'text/html' : asked.trim();
  if (effective === '') return 'json';
  const ranges = parse(effective);
  let best: { representation: Representation; quality: number; specificity: number; position: number } | undefined;
  for (const { representation, ...offer } of offers) {
    let chosen: { range: Range; specificity: number } | undefined;
    for (const range of ranges) {
      const fit = specificity(range, offer);
      if (fit > 0 && (chosen === undefined || fit > chosen.specificity)) chosen = { range, specificity: fit };
    }
    if (chosen === undefined || !(chosen.range.quality > 0)) continue;
    const candidate = {
      representation,
      quality: chosen.range.quality,
      specificity: chosen.specificity,
      position: chosen.range.position,
    };
    const wins =
      best === undefined ||
      candidate.quality > best.quality ||
      (candidate.quality === best.quality &&
        (candidate.specificity > best.specificity ||
          (candidate.specificity === best.specificity && candidate.position < best.position)));
    if (wins) best = candidate;
  }
  return best?.representation;
}
