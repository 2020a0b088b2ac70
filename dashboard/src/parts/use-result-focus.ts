import { type RefObject, useEffect, useRef } from 'react';
import { focusInView } from './focus-in-view';

/**
 * For what came of something that a person did, whose button may be gone or locked: the element of the ref takes the focus
 * whenever there is another result, and not for the one that the page opens with.
 * @param result null or undefined as long as there is none
 */
export function useResultFocus<Part extends HTMLElement>(result: unknown): RefObject<Part | null> {
  const part = useRef<Part>(null);
  const known = useRef(result);
  useEffect(() => {
    if (known.current === result) return;
    known.current = result;
    if (result !== null && result !== undefined && part.current !== null) focusInView(part.current);
  }, [result]);
  return part;
}
