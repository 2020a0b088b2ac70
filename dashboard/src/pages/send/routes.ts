import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';

interface SendSearch {
  batch?: string;
  creditNoteOf?: string;
}

export const sendRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'send',
  // `batch` is the last submission, whose outcome is shown again after a reload. `creditNoteOf` is the transaction of
  // the invoice to credit.
  validateSearch: ({ batch, creditNoteOf }: Record<string, unknown>): SendSearch => ({
    ...(typeof batch === 'string' && { batch }),
    ...(typeof creditNoteOf === 'string' && { creditNoteOf }),
  }),
  component: lazyRouteComponent(() => import('./send.page'), 'SendPage'),
});
