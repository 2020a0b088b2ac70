import { toWords } from './field-names';
import { withFullStop } from './sentence';

export function Finding({ message, hint }: { message: string; hint: string | null }) {
  return (
    <>
      <b>{withFullStop(toWords(message))}</b> {hint !== null && withFullStop(toWords(hint))}
    </>
  );
}
