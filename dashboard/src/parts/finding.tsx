import { withFullStop } from './sentence';

/** What is wrong with a document, and what to do about it. */
export function Finding({ message, hint }: { message: string; hint: string | null }) {
  return (
    <>
      <b>{withFullStop(message)}</b> {hint !== null && withFullStop(hint)}
    </>
  );
}
