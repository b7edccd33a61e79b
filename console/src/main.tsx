import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isAwayError, setAway } from './api/connection.ts';
import { createConsoleRouter } from './router.tsx';
import './styles.css';

const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (isAwayError(error)) setAway(true);
    },
  }),
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
