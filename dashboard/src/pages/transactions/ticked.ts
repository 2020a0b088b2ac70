interface Named {
  transactionId: string;
}

export interface Ticked<Row> {
  rows: ReadonlyMap<string, Row>;
  /** Number of rows that have left the list. */
  gone: number;
}

/**
 * Updates the ticked rows. Returns the same object if nothing changed.
 * @param found current rows of the list; undefined before they are loaded
 * @param asked requested ids; those without a row have left the list
 */
export function keepTicked<Row extends Named, State extends Ticked<Row>>(
  ticked: State & Ticked<Row>,
  found: readonly Row[] | undefined,
  asked: readonly string[] = [],
): State {
  if (found === undefined) return ticked;
  const now = new Map(found.map((row) => [row.transactionId, row]));
  const left = asked.filter((id) => ticked.rows.has(id) && !now.has(id));
  const isSame = left.length === 0 && [...ticked.rows].every(([id, row]) => (now.get(id) ?? row) === row);
  if (isSame) return ticked;
  const rows = new Map([...ticked.rows].map(([id, row]) => [id, now.get(id) ?? row] as const));
  for (const id of left) rows.delete(id);
  return { ...ticked, rows, gone: ticked.gone + left.length };
}
