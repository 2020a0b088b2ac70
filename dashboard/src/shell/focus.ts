import type { AnyRouter } from '@tanstack/react-router';
import { expectHeading, focusHeading } from '../parts/heading-focus';

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
