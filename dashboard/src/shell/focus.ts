import type { AnyRouter } from '@tanstack/react-router';
import { expectHeading, focusHeading } from '../parts/heading-focus';

/**
 * Focuses the heading of the page or dialog when the focused element is removed or disabled. Otherwise keyboard users
 * would start again at the top of the page.
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

/** Focuses the heading of the new page after a navigation, but not after the first load. */
export function focusHeadingOnNavigation(router: AnyRouter): void {
  router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
    if (fromLocation !== undefined) expectHeading();
  });
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (fromLocation === undefined || !pathChanged) return;
    focusHeading();
  });
}
