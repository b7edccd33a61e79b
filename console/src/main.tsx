import { CSPProvider } from '@base-ui/react/csp-provider';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isAwayError, setAway } from './api/connection.ts';
import { ConsoleApiError } from './api/console-api.ts';
import { signInAgain } from './api/sign-out.ts';
import { createConsoleRouter } from './router.tsx';
import './styles.css';

const onError = (error: Error): void => {
  if (isAwayError(error)) setAway(true);
  if (error instanceof ConsoleApiError && error.code === 'not_signed_in') signInAgain();
};

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // The SDK retries by itself, and the banner refreshes everything once the service is back.
  defaultOptions: { queries: { retry: false, staleTime: 5_000 } },
});
const router = createConsoleRouter(queryClient);

const root = document.querySelector('#root');
if (!root) throw new Error('index.html has no root');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
