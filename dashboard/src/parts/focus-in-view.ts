/** Focuses an element where it can be seen: in the middle, since the header covers the top of the page. */
export function focusInView(element: HTMLElement): void {
  element.scrollIntoView({ block: 'center' });
  element.focus({ preventScroll: true });
}
