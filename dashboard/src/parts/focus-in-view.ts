/** Focuses an element and scrolls it to the middle because the header covers the top of the page. */
export function focusInView(element: HTMLElement): void {
  element.scrollIntoView({ block: 'center' });
  element.focus({ preventScroll: true });
}
