let isExpected = false;

/** Called at the first navigation. Before that, the browser decides about the focus. */
export function expectHeading(): void {
  isExpected = true;
}

export function focusHeading(): void {
  const dialog = document.querySelector<HTMLElement>('[role="dialog"][aria-modal]');
  (dialog ?? document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: true });
}

/** Focuses a heading that is rendered late, for example because the code of the page had to be loaded first. */
export function focusLateHeading(): void {
  if (isExpected && document.activeElement === document.body) focusHeading();
}
