import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv, type Plugin } from 'vite';

const API_PORT = loadEnv('', '.', 'PORT').PORT ?? '3000';

const COMPRESSIBLE = /\.(?:js|css|svg)$/;

/**
 * Next to each file its brotli and gzip forms, for the API to send as they are: made once, and so with the most effort.
 * Browsers ask for brotli over HTTPS only.
 */
const compressFiles: Plugin = {
  name: 'compress-files',
  apply: 'build',
  writeBundle({ dir: root = '' }) {
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!COMPRESSIBLE.test(name)) continue;
      const file = path.join(root, name);
      const content = readFileSync(file);
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
      writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
      writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
    }
  },
};

const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g;

/**
 * A stylesheet delays what follows it: after the shell it delays the scripts, but not the shell. It stays before the
 * root, because what the components add to their styles there must win.
 */
const stylesAfterShell: Plugin = {
  name: 'styles-after-shell',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => {
      const styles = [...html.matchAll(STYLESHEET)].join('');
      return html.replaceAll(STYLESHEET, '').replace(/(?=\s*<div id="root">)/, styles);
    },
  },
};

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), stylesAfterShell, compressFiles],
  // The API process puts a fresh nonce in its place with every answer (docs/security.md).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // Read by scripts/dashboard-size.mjs.
    manifest: true,
    // A small file as data: would need more rights in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // A module that several pages share would be a file of its own otherwise, and a page 50 requests.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules|preload-helper/, minShareCount: 2, priority: 1 },
            { name: 'shared', test: /dashboard.src/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: `http://127.0.0.1:${API_PORT}`, changeOrigin: false } },
  },
});
