import type { AnyRouter } from '@tanstack/react-router';

/** After a navigation the focus is on the new page's heading, as after loading a page; never at the first one. */
export function focusHeadingOnNavigation(router: AnyRouter): void {
  router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (fromLocation === undefined || !pathChanged) return;
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  });
}
