/** Characters that neither repeat nor continue earlier ones: a random text of 32 hexadecimal digits has all of them. */
const NOVEL_CHARACTERS_MIN = 24;
// Three steps in a row that occurred before are chance in a random text; four are a pattern.
const PATTERN_STEPS = 4;
// What examples, tests and people who are in a hurry write; by chance none of them is in a random text.
const PLACEHOLDER =
  /change.?(?:me|this)|example|placeholder|password|secrets?.?key|for.(?:tests?|bench)|default|insecure/i;

/** Why a secret is easy to guess, to be put after "SECRETS_KEY"; null when it is not. */
export function describeWeakness(secret: string): string | null {
  const placeholder = PLACEHOLDER.exec(secret)?.[0];
  if (placeholder !== undefined) return `contains "${placeholder}"`;
  return countNovelCharacters(secret) < NOVEL_CHARACTERS_MIN ? 'repeats itself or follows a pattern' : null;
}

/**
 * Counts what a pattern does not explain. It compares the steps from character to character, so that `aaaa`, `abababab`
 * and `abcdefgh` all repeat themselves.
 */
function countNovelCharacters(secret: string): number {
  const codes = Array.from({ length: secret.length }, (_, index) => secret.charCodeAt(index));
  const steps = codes.slice(1).map((code, index) => String(code - codes[index]));
  const known = new Set<string>();
  let novel = 1;
  for (let index = 0; index < steps.length; index += 1) {
    const pattern = steps.slice(index, index + PATTERN_STEPS).join(' ');
    if (known.has(pattern)) index += PATTERN_STEPS - 1;
    else novel += 1;
    known.add(pattern);
  }
  return novel;
}
