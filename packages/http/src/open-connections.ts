// The connections of a listener that are open. Not a Set: whenever V8 rehashes one, which short connections make it do all
// the time, the old table goes on pointing to the new one, and of tables that the collector of young objects has spared,
// the first keeps all later ones and every connection in them until the next full collection.

export interface Placed {
  /** Where it stands among the open ones; -1: nowhere. */
  place: number;
}

export class OpenConnections<C extends Placed> {
  readonly #list: C[] = [];

  get size(): number {
    return this.#list.length;
  }

  add(connection: C): void {
    connection.place = this.#list.length;
    this.#list.push(connection);
  }

  delete(connection: C): void {
    const { place } = connection;
    if (place < 0) return;
    const last = this.#list.pop()!;
    if (last !== connection) {
      this.#list[place] = last;
      last.place = place;
    }
    connection.place = -1;
  }

  /** Those that are open now, whatever becomes of them meanwhile. */
  all(): C[] {
    return this.#list.slice();
  }
}
