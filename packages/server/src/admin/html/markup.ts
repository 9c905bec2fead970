// HTML as tagged templates: everything that is put into one is escaped unless it is markup itself, so that hostile
// stub bodies and request data can only ever appear as text.

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character]!);
}

/** Text that is markup already. Only `markup` makes it from anything but literals of this project. */
export class Markup {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

type Piece = string | number | boolean | null | undefined | Markup | readonly Piece[];

function render(piece: Piece): string {
  if (piece === undefined || piece === null || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (Array.isArray(piece)) return piece.map(render).join('');
  return escapeHtml(String(piece));
}

/** Tagged template: interpolated values are escaped, `Markup` and lists of it are put in as they are. */
export function markup(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = strings[0]!;
  for (let i = 0; i < pieces.length; i++) text += render(pieces[i]) + strings[i + 1]!;
  return new Markup(text);
}
