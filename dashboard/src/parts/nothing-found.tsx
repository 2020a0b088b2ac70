/** Message for a list without choices. It has the role of an option because screen readers reject an empty list. */
export function NothingFound({ text }: { text: string }) {
  return (
    // An <option> is only valid in a <select>.
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
    <div role="option" aria-disabled aria-selected={false}>
      {text}
    </div>
  );
}
