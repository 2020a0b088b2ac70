let isExpected = false;

/** From the first navigation on: a page that is opened by loading it leaves the focus where the browser has it. */
export function expectHeading(): void {
  isExpected = true;
}

/** Of the page, or of the dialog that is open. */
export function focusHeading(): void {
  const dialog = document.querySelector<HTMLElement>('[role="dialog"][aria-modal]');
  (dialog ?? document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: true });
}

/** For a heading that comes late, as that of a page whose code is still loading: whatever had the focus is gone by then. */
export function focusLateHeading(): void {
  if (isExpected && document.activeElement === document.body) focusHeading();
}
