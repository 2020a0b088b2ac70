import { REFERENCE_ID_LENGTH_MAX } from '../../documents/dto/document.dto.js';

const LAST_DIGITS = /\d+$/;

/**
 * The numbers that follow a document's number: its last digits count up and keep their width.
 * @returns at most `count`, in order; none when the number does not end in a digit, or would grow too long
 */
export function listNextNumbers(number: string, count: number): string[] {
  const [digits] = LAST_DIGITS.exec(number) ?? [];
  if (digits === undefined) return [];
  const before = number.slice(0, -digits.length);
  // A number beyond 2^53 is exact only as a bigint.
  const last = BigInt(digits);
  const numbers = Array.from({ length: count }, (_, index) => {
    return before + String(last + BigInt(index + 1)).padStart(digits.length, '0');
  });
  return numbers.filter(({ length }) => length <= REFERENCE_ID_LENGTH_MAX);
}
