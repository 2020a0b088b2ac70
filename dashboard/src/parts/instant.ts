const format = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Asia/Kuala_Lumpur',
  dateStyle: 'short',
  timeStyle: 'short',
});

/** An instant as it is in Malaysia: `2026-01-31 16:00 MYT`. */
export function instantText(instant: string): string {
  return `${format.format(new Date(instant))} MYT`;
}

/** Today in Malaysia, as documents are dated. */
export function todayText(): string {
  return format.format(new Date()).slice(0, 10);
}
