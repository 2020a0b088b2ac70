/**
 * What a list of choices says when it has none. For a screen reader such a list must not be empty: so it is a choice that
 * cannot be made.
 */
export function NothingFound({ text }: { text: string }) {
  return (
    // An <option> belongs into a <select>.
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
    <div role="option" aria-disabled aria-selected={false}>
      {text}
    </div>
  );
}
