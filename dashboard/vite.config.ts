import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv, type Plugin } from 'vite';

const API_PORT = loadEnv('', '.', 'PORT').PORT ?? '3000';

const COMPRESSIBLE = /\.(?:js|css|svg)$/;

/**
 * Compresses each file with brotli and gzip at build time, at the highest level. Browsers request brotli only over
 * HTTPS.
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
 * Moves stylesheets after the shell so that they do not delay it. They stay before the root because component styles
 * must override them.
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
  // Placeholder that the API replaces with a new nonce per response (docs/security.md).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // Read by scripts/dashboard-size.mjs.
    manifest: true,
    // Inlined files would require a less strict content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Without groups, each shared module would be a separate file and a page would need 50 requests.
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
