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
    // A call without a network fails immediately. By default it would be paused and sent later without notice.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 10_000,
      // Retries only failures that may be temporary: no response, or a server error.
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
// Registered before the router's listener.
addEventListener('vite:preloadError', ({ payload }) => markAsNotLoaded(payload));
onSessionChanged(followSession);
// If the session cannot be loaded, the next call reports the change.
onSessionChangedElsewhere(() => void followSession().catch(() => undefined));
removeOldDrafts(Date.now());

async function followSession(): Promise<boolean> {
  const user = await renewSession(queryClient);
  // The page and its unsaved input belong to another user, so the reload discards both.
  if (user === 'other user') location.reload();
  if (user === 'signed out' || user === 'user again') await router.invalidate();
  return user === 'same user';
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
// Loads the first page before React replaces the shell of index.html.
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
