// The text in which values of flow state are stored: compact JSON, object keys in ascending order, so that equal values
// have equal texts and a compare-and-set can compare texts.

/** `undefined`, functions and what else JSON cannot say become null. Integers of type bigint keep every digit. */
export function valueText(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as { [key: string]: unknown })[key];
    if (member !== undefined) parts.push(`${JSON.stringify(key)}:${valueText(member)}`);
  }
  return `{${parts.join(',')}}`;
}
