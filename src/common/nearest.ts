/** Longer strings get no suggestions, which limits the work for hostile input. */
const COMPARED_CHARACTERS_MAX = 60;

const PART_CHARACTERS_MIN = 4;

const SUGGESTIONS_MAX = 3;

export type Suggest = (text: string) => string[];

interface Spelling {
  readonly plain: string;
  readonly answer: string;
}

interface SuggestOptions {
  readonly isForgiving: boolean;
}

/**
 * Suggests equal spellings regardless of case, accents and punctuation, else spellings that contain the string, else
 * spellings within a few typing errors.
 */
export function createSuggester(
  spellings: Iterable<readonly [spelling: string, answer: string]>,
  { isForgiving }: SuggestOptions,
): Suggest {
  const known: Spelling[] = [...spellings].map(([spelling, answer]) => ({ plain: toPlainText(spelling), answer }));
  return (text) => {
    if (text.length > COMPARED_CHARACTERS_MAX) return [];
    const wanted = toPlainText(text);
    if (wanted === '') return [];
    const same = known.filter(({ plain }) => plain === wanted);
    if (same.length > 0) return firstAnswers(same);
    const parts = known.filter(({ plain }) => isPart(wanted, plain));
    if (parts.length > 0)
      return firstAnswers(closestFirst(parts, ({ plain }) => Math.abs(plain.length - wanted.length)));
    return isForgiving ? firstAnswers(findTypos(wanted, known)) : [];
  };
}

export function didYouMean(suggestions: readonly string[]): string | undefined {
  if (suggestions.length === 0) return undefined;
  const [last, ...others] = suggestions.toReversed();
  const list = others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
  return `did you mean ${list}?`;
}

function toPlainText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function isPart(wanted: string, plain: string): boolean {
  if (wanted.length < PART_CHARACTERS_MIN) return false;
  return plain.includes(wanted) || (plain.length >= PART_CHARACTERS_MIN && wanted.startsWith(plain));
}

function findTypos(wanted: string, known: readonly Spelling[]): Spelling[] {
  const slipsMax = computeTyposMax(wanted.length);
  if (slipsMax === 0) return [];
  const distances = new Map<Spelling, number>();
  for (const spelling of known) {
    if (Math.abs(spelling.plain.length - wanted.length) > slipsMax) continue;
    const distance = computeDistance(wanted, spelling.plain);
    if (distance <= slipsMax) distances.set(spelling, distance);
  }
  return closestFirst([...distances.keys()], (spelling) => distances.get(spelling) ?? 0);
}

// Allowing more typing errors would match unrelated words.
function computeTyposMax(length: number): number {
  if (length < 3) return 0;
  if (length < 6) return 1;
  return length < 12 ? 2 : 3;
}

export function computeDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let distance = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1));
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped) distance = Math.min(distance, beforeLast[column - 2] + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length];
}

/** Returns whether `computeDistance` is at most 1, in linear time. */
export function isWithinOneEdit(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [rest, restOfOther] = [one.slice(start), other.slice(start)];
  if (rest.slice(1) === restOfOther.slice(1) || rest.slice(1) === restOfOther || rest === restOfOther.slice(1))
    return true;
  const isSwapped = rest[0] === restOfOther[1] && rest[1] === restOfOther[0];
  return isSwapped && rest.slice(2) === restOfOther.slice(2);
}

function closestFirst(spellings: readonly Spelling[], distanceTo: (spelling: Spelling) => number): Spelling[] {
  return spellings.toSorted((a, b) => distanceTo(a) - distanceTo(b));
}

function firstAnswers(spellings: readonly Spelling[]): string[] {
  return [...new Set(spellings.map(({ answer }) => answer))].slice(0, SUGGESTIONS_MAX);
}
