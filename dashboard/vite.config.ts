import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

const API_PORT = loadEnv('', '.', 'PORT').PORT ?? '3000';

export default defineConfig({
  base: '/dashboard/',
  plugins: [react()],
  // The API process puts a fresh nonce in its place with every answer (docs/decisions, content security policy).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // Read by scripts/dashboard-size.mjs.
    manifest: true,
    // A small file as data: would need more rights in the content security policy.
    assetsInlineLimit: 0,
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: `http://127.0.0.1:${API_PORT}`, changeOrigin: false } },
  },
});
