import { toWords } from './field-names';
import { withFullStop } from './sentence';

/** What is wrong with a document, and what to do about it. */
export function Finding({ message, hint }: { message: string; hint: string | null }) {
  return (
    <>
      <b>{withFullStop(toWords(message))}</b> {hint !== null && withFullStop(toWords(hint))}
    </>
  );
}
