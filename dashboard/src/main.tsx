import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchPresence } from './api/presence';
import { onSessionChanged, onSessionLost } from './api/client';
import { CallFailure, markAsNotLoaded } from './api/errors';
import { endSession, onSessionChangedElsewhere, renewSession } from './api/session';
import { removeOldDrafts } from './parts/draft/stored-draft';
import { createDashboardRouter } from './router';
import { focusHeadingOnNavigation, keepFocus } from './shell/focus';
import { styleNonce } from './shell/style-nonce';
import { cssVariables, theme } from './theme';
import './main.css';

const RETRIES_MAX = 2;

const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network a call fails and says so. It does not wait in silence, to be made once nobody looks any more.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 10_000,
      // Only what may end differently the next time: no response, or a failure of the server.
      retry: (failures, error) =>
        failures < RETRIES_MAX && error instanceof CallFailure && (error.status === 0 || error.status >= 500),
    },
  },
});
const router = createDashboardRouter(queryClient);
watchPresence();
focusHeadingOnNavigation(router);
keepFocus();
onSessionLost(() => {
  endSession(queryClient);
  void router.invalidate();
});
// Before the router sees it.
addEventListener('vite:preloadError', ({ payload }) => markAsNotLoaded(payload));
onSessionChanged(followSession);
// Without a response nothing is known of the other tab's session: the next call says it.
onSessionChangedElsewhere(() => void followSession().catch(() => undefined));
removeOldDrafts(Date.now());

async function followSession(): Promise<boolean> {
  const user = await renewSession(queryClient);
  // What the page shows, and what was typed into it, is another user's: nothing of it is left.
  if (user === 'other user') location.reload();
  if (user === 'nobody' || user === 'user again') await router.invalidate();
  return user === 'same user';
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
// The shell of index.html stays until the first page can take its place.
await router.load();
document.getElementById('starting')?.remove();
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
