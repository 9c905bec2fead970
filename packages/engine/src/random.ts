// Where every random draw of an imposter comes from, so that a run can be repeated from its seed.

/** The next draw, uniform in [0, 1). */
export type Random = () => number;

/**
 * A generator whose sequence is decided by the seed (any whole number): sfc32 of PractRand (C. Doty-Humphrey), its state
 * filled by splitmix32. Two draws make one number of 53 bits.
 */
export function seededRandom(seed: number): Random {
  let filler = seed | 0;
  const fill = (): number => {
    filler = (filler + 0x9e3779b9) | 0;
    let mixed = Math.imul(filler ^ (filler >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  let a = fill();
  let b = fill();
  let c = fill() ^ Math.floor(seed / 2 ** 32);
  let counter = 1;
  const word = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i++) word();
  return () => (word() * 2 ** 21 + (word() >>> 11)) / 2 ** 53;
}

/** A whole number of [low, high], both ends included. */
export function wholeBetween(low: number, high: number, random: Random): number {
  return low + Math.floor(random() * (high - low + 1));
}

/** A random UUID (RFC 9562 section 5.4, version 4) in lower case. */
export function randomUuid(random: Random): string {
  let hex = '';
  for (let i = 0; i < 4; i++)
    hex += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const variant = '89ab'[Number.parseInt(hex[16], 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
