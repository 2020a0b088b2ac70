interface Named {
  transactionId: string;
}

export interface Ticked<Row> {
  /** What was ticked, by the ids of the attempts. */
  rows: ReadonlyMap<string, Row>;
  /** How many of them have left the list since. */
  gone: number;
}

/**
 * What was ticked, as the list has it now; the same object when nothing is different.
 * @param found rows of the list as they are now; undefined while they are not known
 * @param asked the ids that were asked for: one that was not found is no longer in the list
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
