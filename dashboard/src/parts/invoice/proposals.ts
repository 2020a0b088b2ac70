const CODE = /^[\w.+-]+$/;
const USE = /^use (\S+?)(?:$|, | or earlier, | alone$)/;
const MEANT = /^did you mean (.+)\?$/;
const GENERAL = /^a foreign buyer without a TIN has (\S+)$/;

/**
 * Returns the values that a hint proposes: both codes of `did you mean 01 (Sales Tax) or 02 (Service Tax)?`, and the
 * postcode of `use 50480, not 5048`.
 */
export function readProposals(hint: string | null): string[] {
  if (hint === null) return [];
  const [, meant] = MEANT.exec(hint) ?? [];
  if (meant !== undefined) {
    const values = withoutDescriptions(meant).split(/, | or /);
    return values.every((value) => CODE.test(value)) ? values : [];
  }
  for (const pattern of [USE, GENERAL]) {
    const [, value] = pattern.exec(hint) ?? [];
    if (value !== undefined && CODE.test(value)) return [value];
  }
  return [];
}

/** Reduces `01 (Sales Tax) or 02 (Service Tax)` to `01 or 02`. Descriptions may contain nested parentheses. */
function withoutDescriptions(text: string): string {
  const shorter = text.replaceAll(/ \([^()]*\)/g, '');
  return shorter === text ? text : withoutDescriptions(shorter);
}
