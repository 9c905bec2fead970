// Character classes of RFC 9110 section 5.6 and RFC 9112 as lookup tables over byte values.

function table(test: (code: number) => boolean): Uint8Array {
  const result = new Uint8Array(256);
  for (let code = 0; code < 256; code++) result[code] = test(code) ? 1 : 0;
  return result;
}

/** tchar: what header names, methods and chunk extension names consist of. */
export const IS_TOKEN = table((code) => code < 128 && /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(code)));

/** What a header value consists of: HTAB, SP, VCHAR and obs-text. */
export const IS_FIELD = table((code) => code === 9 || (code >= 32 && code !== 127));

/** What a request target consists of: visible ASCII. */
export const IS_TARGET = table((code) => code > 32 && code < 127);

/** Value of a hexadecimal digit, 255 for any other byte. */
export const HEX_VALUE = new Uint8Array(256).fill(255);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  HEX_VALUE[digit.charCodeAt(0)] = value;
  HEX_VALUE[digit.toUpperCase().charCodeAt(0)] = value;
}
