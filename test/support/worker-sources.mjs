// Makes worker threads of the service load its TypeScript sources. The test processes load this file by `execArgv`,
// which threads inherit.
import { isMainThread } from 'node:worker_threads';
import { registerHooks } from './register-hooks.mjs';

if (!isMainThread) {
  const url = new URL('worker-sources-hooks.mjs', import.meta.url).href;
  registerHooks(url, await import(url));
}
