import { type RefObject, useEffect, useRef } from 'react';
import { focusInView } from './focus-in-view';

/**
 * Returns a ref of an element that takes the focus when the result of an action changes, because the button may be gone
 * or locked.
 * @param result null or undefined before the first result
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
