const PLAIN = /^(?:RM\s?)?-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d*)?\s?%?$/i;

/** Whether a text is a number that can be read in one way: commas stand before each three digits, or nowhere. */
export function isPlainAmount(text: string): boolean {
  return PLAIN.test(text);
}
