import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** In development Vite serves the pages, and the role `console` of `npm run dev` the requests to /console-api. */
const consoleRole = 'http://127.0.0.1:8081';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  // The SDK is read from its sources, as everywhere in this repository.
  resolve: { conditions: ['kinora-source', ...defaultClientConditions] },
  server: {
    host: '127.0.0.1',
    // The role accepts changes only from its own origin.
    proxy: { '/console-api': { target: consoleRole, changeOrigin: true, headers: { origin: consoleRole } } },
  },
  build: {
    target: 'es2023',
    // The content security policy allows no data: URLs for fonts and scripts.
    assetsInlineLimit: 0,
    // Every browser that runs this code knows modulepreload.
    modulePreload: { polyfill: false },
  },
});
