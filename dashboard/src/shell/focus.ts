import type { AnyRouter } from '@tanstack/react-router';
import { expectHeading, focusHeading } from '../parts/heading-focus';

/**
 * When what has the focus leaves the page or is disabled, such as a button whose deed is done, the heading takes it, or
 * the dialog that is open: else the keyboard would begin again at the top of the page.
 */
export function keepFocus(): void {
  let focused: EventTarget | null = null;
  addEventListener('focusin', ({ target }) => {
    focused = target;
  });
  new MutationObserver(() => {
    if (![document.body, focused].includes(document.activeElement) || !(focused instanceof Element)) return;
    if (focused.isConnected && !focused.matches(':disabled')) return;
    focused = null;
    focusHeading();
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

/** After a navigation the focus is on the new page's heading, as after loading a page; never at the first one. */
export function focusHeadingOnNavigation(router: AnyRouter): void {
  router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
    if (fromLocation !== undefined) expectHeading();
  });
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (fromLocation === undefined || !pathChanged) return;
    focusHeading();
  });
}
