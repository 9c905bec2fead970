// `//item[@id='7']` and `//item[@id='8']` differ in a value only: both need that value among the texts of `//item/@id`.

/** The selector of the attribute that a plain location path ends on, and the value it must have. */
export function sharedAttribute(selector: string): { selector: string; value: string } | undefined {
  const found =
    /^((?:\/\/?[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)+)\[@([A-Za-z_][\w.-]*)=(?:'([^']*)'|"([^"]*)")\]$/.exec(
      selector.trim(),
    );
  if (found === null) return undefined;
  return { selector: `${found[1]}/@${found[2]}`, value: found[3] ?? found[4] };
}
