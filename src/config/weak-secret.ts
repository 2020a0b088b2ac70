const NOVEL_CHARACTERS_MIN = 24;
// Three repeated steps in a row occur by chance in random text; four are a pattern.
const PATTERN_STEPS = 4;
const PLACEHOLDER =
  /change.?(?:me|this)|example|placeholder|password|secrets?.?key|for.(?:tests?|bench)|default|insecure/i;

/** Returns the weakness of a secret, to follow "SECRETS_KEY" in a message, or null for a strong secret. */
export function describeWeakness(secret: string): string | null {
  const placeholder = PLACEHOLDER.exec(secret)?.[0];
  if (placeholder !== undefined) return `contains "${placeholder}"`;
  return countNovelCharacters(secret) < NOVEL_CHARACTERS_MIN ? 'repeats itself or follows a pattern' : null;
}

/** Counts characters outside patterns such as `aaaa`, `abababab` and `abcdefgh`. */
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
