import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onSessionLost } from './api/client';
import { CallFailure } from './api/errors';
import { endSession } from './api/session';
import { createDashboardRouter } from './router';
import { focusHeadingOnNavigation } from './shell/focus';
import { styleNonce } from './shell/style-nonce';
import { cssVariables, theme } from './theme';
import './main.css';

const RETRIES_MAX = 2;

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Only what may end differently the next time: no answer, or a failure of the server.
      retry: (failures, error) =>
        failures < RETRIES_MAX && error instanceof CallFailure && (error.status === 0 || error.status >= 500),
    },
  },
});
const router = createDashboardRouter(queryClient);
focusHeadingOnNavigation(router);
onSessionLost(() => {
  endSession(queryClient);
  void router.invalidate();
});

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
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
