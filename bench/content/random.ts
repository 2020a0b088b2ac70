/** Reproducible pseudo-random generator. */
export interface Random {
  chance(share: number): boolean;
  /** Returns an integer between `least` and `most`, inclusive. */
  integer(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  /** Returns capital letters and digits. */
  text(length: number): string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Creates a generator of Marsaglia's xorshift32. */
export function createRandom(seed: number): Random {
  // The state must not be zero, because the generator would only produce zeros.
  let state = Math.imul(seed + 1, 0x9e3779b9) | 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    chance: (share) => next() < share,
    integer,
    pick: (choices) => choices[integer(0, choices.length - 1)],
    text: (length) => Array.from({ length }, () => LETTERS[integer(0, LETTERS.length - 1)]).join(''),
  };
}
