import { REFERENCE_ID_LENGTH_MAX } from '../../documents/dto/document.dto.js';

const LAST_DIGITS = /^(?<before>.*?)(?<digits>\d{1,15})$/s;

/**
 * The numbers that follow a document's number: its last digits count up and keep their width.
 * @returns at most `count`, in order; none when the number does not end in a digit, or would grow too long
 */
export function listNextNumbers(number: string, count: number): string[] {
  const { before, digits } = LAST_DIGITS.exec(number)?.groups ?? {};
  if (before === undefined || digits === undefined) return [];
  const numbers = Array.from({ length: count }, (_, index) => {
    return before + String(Number(digits) + index + 1).padStart(digits.length, '0');
  });
  return numbers.filter(({ length }) => length <= REFERENCE_ID_LENGTH_MAX);
}
