import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { environmentRoute } from '../../routes';

interface SendSearch {
  batch?: string;
  creditNoteOf?: string;
}

export const sendRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: 'send',
  // The submission that was sent last: its outcome is shown again after a reload.
  // And the invoice of which a credit note is to be sent, by its attempt.
  validateSearch: ({ batch, creditNoteOf }: Record<string, unknown>): SendSearch => ({
    ...(typeof batch === 'string' && { batch }),
    ...(typeof creditNoteOf === 'string' && { creditNoteOf }),
  }),
  component: lazyRouteComponent(() => import('./send.page'), 'SendPage'),
});
